-- The roles of the database, and an empty one if there is none, for psql as the superuser: PostgreSQL of the Compose
-- file runs it once, on an empty volume, and running it again changes passwords to those of the files. sunwi_owner
-- migrates; sunwi_app reads and writes rows. Outside of the container psql -v secrets=FOLDER says where passwords are.
-- What belongs to others on the same server stays as it is. Where the server is Sunwi's alone, as that of the Compose
-- file is, psql -v own_server=yes (or OWN_SERVER=yes in the environment) shuts its other databases too.

\set ON_ERROR_STOP on
\if :{?secrets}
\else
  \set secrets /run/secrets
\endif
\set found `cd :'secrets' && grep -q '[^ ]' migrate_password && grep -q '[^ ]' database_password && echo on || echo off`
\if :found
\else
  \warn 'No password in' :secrets: 'psql -v secrets=FOLDER names the one with migrate_password and database_password.'
  DO $$ BEGIN RAISE EXCEPTION 'a password is missing or empty: nothing was changed'; END $$;
\endif
\if :{?own_server}
\else
  \set own_server `echo "${OWN_SERVER:-no}"`
\endif
\set owner_password `cat :'secrets'/migrate_password`
\set app_password `cat :'secrets'/database_password`

-- Passwords are in no log, also where a statement fails.
SET log_min_error_statement = 'panic';
SET log_statement = 'none';

SELECT format('CREATE ROLE %I', name) FROM (VALUES ('sunwi_owner'), ('sunwi_app')) AS wanted (name)
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec

ALTER ROLE sunwi_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'owner_password';
ALTER ROLE sunwi_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'app_password';

SELECT 'CREATE DATABASE sunwi OWNER sunwi_owner'
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'sunwi') \gexec

ALTER DATABASE sunwi OWNER TO sunwi_owner;
REVOKE ALL ON DATABASE sunwi FROM PUBLIC;
\if :own_server
  REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC;
\endif
GRANT CONNECT ON DATABASE sunwi TO sunwi_app;

\connect sunwi

ALTER SCHEMA public OWNER TO sunwi_owner;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO sunwi_app;

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO sunwi_app;
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO sunwi_app;

-- Large objects belong to whoever makes them, and would fill the disk: nothing here uses them.
REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC;

-- What migrations make from now on.
ALTER DEFAULT PRIVILEGES FOR ROLE sunwi_owner IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO sunwi_app;
ALTER DEFAULT PRIVILEGES FOR ROLE sunwi_owner IN SCHEMA public
    GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO sunwi_app;
