// Submits a score and reads the standings, with types that were generated from the document.
// Run as: node client.mjs SITE KEY BOARD
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

declare const process: { argv: string[] };

const [site = "", key = "", seq = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: site, headers: { Authorization: `Bearer ${key}` } });
const board = Number(seq);

const submitted = await client.POST("/api/v1/scores", {
  params: { query: { ranks: true } },
  body: { entries: [{ board, player: "typescript", points: 7, id: "ts-1" }] },
});
if (!submitted.data) throw new Error(submitted.error.detail);
const status: "updated" | "unchanged" | "duplicate" | "quarantined" | "rejected" | "unknown" | undefined =
  submitted.data.results[0]?.status;

const page = await client.GET("/api/v1/boards/{seq}/standings", {
  params: { path: { seq: board }, query: { limit: 1 } },
});
if (!page.data) throw new Error(page.error.detail);
const row = page.data.rows[0];
const next: string | null = page.data.next_cursor;
console.log(JSON.stringify({ status, player: row?.player, points: row?.points, next }));
