// How the site's search orders what it finds: the page of faults first, guides and operations before reference, and
// those before the decisions and the changelog, which name every word once.

const WEIGHTS = [
  [/^(decisions\/|reference\/changes$)/, 0.2],
  [/^operations\/faults$/, 4],
  [/^operations\//, 2],
  [/^(guides\/|tutorial$)/, 1.5],
];

var Scorer = {
  score: ([page, , , , score]) => score * (WEIGHTS.find(([pages]) => pages.test(page))?.[1] ?? 1),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
