// Findings about the processes that serve a data folder.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeRoles, lockingProcess, type RoleFacts } from './roles.ts';

const agent = { pid: 10, uid: 0, groups: [0] };
const api = { pid: 11, uid: 995, groups: [994] };
const agentSocket = { uid: 0, gid: 994, mode: 0o660, isSocket: true };
const engineSocket = { uid: 0, gid: 120, mode: 0o660, isSocket: true };
const good: RoleFacts = {
  agent,
  api,
  gateway: null,
  wantsGateway: false,
  agentSocket,
  engineSocket,
  apiGroup: null,
};

function said(facts: Partial<RoleFacts>): string[] {
  return judgeRoles({ ...good, ...facts }).map(({ state, text }) => `${state} ${text}`);
}

const both = 'ok api (process 11, user 995) and agent (process 10, user 0) run';

test('who runs, and who is missing', () => {
  assert.deepEqual(said({ agent: null, api: null }), ['ok no Botel is running with this data folder']);
  assert.deepEqual(said({ api: agent }), ['ok api and agent run in one process (process 10)']);
  assert.deepEqual(said({ api: null }), ['fix the agent runs (process 10), the api does not: no request is answered']);
  assert.deepEqual(said({ agent: null }), [
    'fix the api runs (process 11), the agent does not: calls are accepted and carried out once it runs',
  ]);
});

test('two halves that fit', () => {
  const reached = "ok only the api's group can use the agent's socket";
  assert.deepEqual(said({}), [both, reached]);
  assert.deepEqual(said({ apiGroup: 994, engineSocket: null }), [both, reached]);
  const mine = { agent: { ...agent, uid: 995 }, agentSocket: { ...agentSocket, uid: 995, gid: 7 } };
  assert.equal(said(mine)[1], reached);
});

test('what keeps them apart, or opens too much', () => {
  const last = (facts: Partial<RoleFacts>) => said(facts).at(-1);
  assert.match(last({ agentSocket: null }) ?? '', /^fix the agent's socket is missing/);
  assert.match(last({ agentSocket: { ...agentSocket, isSocket: false } }) ?? '', /^fix another file is in place/);
  for (const odd of [{ mode: 0o666 }, { uid: 1000 }])
    assert.match(last({ agentSocket: { ...agentSocket, ...odd } }) ?? '', /^fix the agent's socket is too open: owner/);
  assert.equal(
    last({ agentSocket: { ...agentSocket, gid: 0 } }),
    "fix the api's user 995 is not in the group 0 of the agent's socket",
  );
  assert.match(last({ apiGroup: 5 }) ?? '', /^warn BOTEL_API_GROUP is 5, the agent's socket is for 994/);
  assert.ok(said({ api: { ...api, uid: 0 } }).includes('warn the api runs as root'));
  assert.ok(
    said({ api: { ...api, groups: [994, 120] } }).includes(
      "warn the api's user can open the engine's socket, which equals root",
    ),
  );
});

test('the gateway of its own', () => {
  const gateway = { pid: 12, uid: 994, groups: [994] };
  assert.equal(said({ gateway }).at(-1), 'ok the gateway (process 12, user 994) runs');
  assert.equal(said({ wantsGateway: true }).at(-1), 'warn the gateway does not run: no app can be reached');
  assert.equal(said({ gateway: { ...gateway, uid: 0 } }).at(-1), 'warn the gateway runs as root');
  assert.deepEqual(said({ api: agent, wantsGateway: true }), ['ok api and agent run in one process (process 10)']);
});

test('the holder of a lock is read from what the kernel tells', () => {
  const locks = `1: POSIX  ADVISORY  WRITE 3555 fe:00:77 1073741824 1073742335
2: POSIX  ADVISORY  READ 3556 fe:00:78 1073741826 1073742335
3: POSIX  ADVISORY  WRITE 3557 fe:00:79 0 EOF
4: FLOCK  ADVISORY  WRITE 3558 fe:00:80 0 EOF
4: -> FLOCK  ADVISORY  WRITE 3559 fe:00:80 0 EOF
`;
  assert.deepEqual(
    [77, 78, 79, 80, 7].map((inode) => lockingProcess(locks, inode)),
    [3555, null, null, null, null],
  );
});
