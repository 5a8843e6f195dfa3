/**
 * Runs PostGraphile over the same tables, policies and roles. The login is the API’s, and each request gets the role
 * and the clients of its token. The library of PostGraphile’s own token preset verifies the token for each request.
 */
import { createServer } from 'node:http';
import jsonwebtoken from 'jsonwebtoken';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const { AUTH_PUBLIC_KEY, AUTH_ISSUER, AUTH_AUDIENCE, DATABASE_URL, PORT } = process.env;

function pgSettings(authorization) {
  if (authorization === undefined) return {};
  const { client_access } = jsonwebtoken.verify(authorization.slice('Bearer '.length), AUTH_PUBLIC_KEY, {
    algorithms: ['RS256'],
    issuer: AUTH_ISSUER,
    audience: AUTH_AUDIENCE,
  });
  return { role: 'taxclaims_account_manager', 'app.client_access': `{${client_access.join(',')}}` };
}

const preset = {
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({
      connectionString: DATABASE_URL,
      schemas: ['public'],
      poolConfig: { max: 10 },
    }),
  ],
  grafast: {
    context: ({ node }) => ({ pgSettings: pgSettings(node?.req.headers.authorization) }),
  },
  grafserv: { graphiql: false, websockets: false, watch: false },
};

const server = createServer();
await postgraphile(preset).createServ(grafserv).addTo(server);
server.listen(Number(PORT), '127.0.0.1');
