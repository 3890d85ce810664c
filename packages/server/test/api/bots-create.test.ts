// POST /bots/create (docs/specification.md, section 4): its answer, the exact text of every
// refusal, and that a refusal stores nothing.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { BotData, CreatedBotData } from '@botel/contract/bots';
import { languages } from '@botel/contract/vocabulary';
import { goodBot, startFixture } from '../support/fixture.ts';
import { type Answer, assertRefused, invalidInput, invalidJson, type Refusal, send, unauthorized } from './request.ts';

const fixture = await startFixture({ BOTEL_DEFAULT_PLAN_MEMORY_MB: '4096', BOTEL_DEFAULT_PLAN_BOTS: '10' });
after(() => fixture[Symbol.asyncDispose]());
const { client } = fixture;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function create(body: unknown, headers?: Record<string, string>): Promise<Answer<CreatedBotData>> {
  return send(client, 'POST /bots/create', body, headers);
}

/** What is stored: the bots and what they take of the plan. */
async function stored() {
  return { bots: await client.bots(), usage: await client.usage() };
}

/** Creates a bot, hands it to `work` and deletes it, so that tests don't eat up the plan of the
 * others. */
async function withBot(
  input: object | string,
  work: (answer: Answer<CreatedBotData>) => Promise<void> | void,
): Promise<void> {
  const answer = await create(input);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  try {
    await work(answer);
  } finally {
    await client.deleteBot(answer.body.data.id, true);
  }
}

describe('201', () => {
  test('"data = the created bot with id, name, language, memory, vcpu, status, startup_command": exactly the seven', () =>
    withBot(goodBot, ({ body }) => {
      assert.match(body.data.id, uuid);
      assert.deepEqual(body, {
        success: true,
        data: {
          id: body.data.id,
          name: 'greeter',
          language: 'nodejs',
          memory: 256,
          vcpu: 0.5,
          status: 'offline',
          startup_command: 'node index.js',
        },
        message: 'Bot "greeter" was created. Use POST /bots/start to run it.',
      });
    }));

  test('"The bot is not started": no container, still offline when nothing is left to do', () =>
    withBot(goodBot, async ({ body }) => {
      await fixture.server.settle();
      const bot = await client.bot(body.data.id);
      assert.deepEqual([bot.status, bot.desired_status, bot.run, bot.generation], ['offline', 'offline', 0, 0]);
      assert.deepEqual(fixture.machine.containers(), []);
    }));

  test('"1 vCPU per 512 MB of memory (256 MB gives 0.5, 1024 MB gives 2)"', async () => {
    const table: [number, number][] = [
      [128, 0.25],
      [256, 0.5],
      [512, 1],
      [768, 1.5],
      [1024, 2],
      [4096, 8],
    ];
    for (const [memory, vcpu] of table)
      await withBot({ ...goodBot, memory }, async ({ body }) => {
        assert.deepEqual([body.data.memory, body.data.vcpu], [memory, vcpu]);
        assert.equal((await client.bot(body.data.id)).vcpu, vcpu);
      });
  });

  test('"Not supplied by the client": vcpu, status, id and unknown fields of the request are ignored', () =>
    withBot({ ...goodBot, vcpu: 64, status: 'online', id: 'mine', owner_id: 'x', unknown: [1] }, ({ body }) => {
      assert.deepEqual([body.data.vcpu, body.data.status], [0.5, 'offline']);
      assert.match(body.data.id, uuid);
    }));

  test('every language', async () => {
    for (const language of languages)
      await withBot({ ...goodBot, language }, ({ body }) => assert.equal(body.data.language, language));
  });

  test('"Alphanumeric characters, underscores and hyphens": names at the edges, and the same name twice', async () => {
    for (const name of ['a', '-', '_', '0', 'A-z_09', 'x'.repeat(64)])
      await withBot({ ...goodBot, name }, ({ body }) => {
        assert.equal(body.data.name, name);
        assert.equal(body.message, `Bot "${name}" was created. Use POST /bots/start to run it.`);
      });
    await withBot(goodBot, (first) =>
      withBot(goodBot, (second) => assert.notEqual(first.body.data.id, second.body.data.id)),
    );
  });

  test('the environment is "not returned in the create response", nor anywhere else: only its keys', () =>
    withBot({ ...goodBot, environment: { TOKEN: 'secret-value', N: 5, ON: true } }, async ({ body }) => {
      assert.doesNotMatch(JSON.stringify(body), /environment|secret-value/);
      const bot: BotData = await client.bot(body.data.id);
      assert.deepEqual(bot.environment_keys, ['TOKEN', 'N', 'ON']);
      assert.doesNotMatch(JSON.stringify(bot), /secret-value/);
    }));

  test('"injected into the bot\'s container as environment variables": texts, numbers and booleans as JSON text', () =>
    withBot({ ...goodBot, environment: { A: 'x=y "z"', N: 5.5, ON: true, EMPTY: '' } }, async ({ body }) => {
      await client.lifecycle('start', body.data.id);
      await fixture.server.settle();
      const { spec } = fixture.machine.byName(`bot_${body.data.id}`) ?? {};
      for (const line of ['A=x=y "z"', 'N=5.5', 'ON=true', 'EMPTY=']) assert.ok(spec?.environment.includes(line), line);
      await client.lifecycle('kill', body.data.id);
      await fixture.server.settle();
    }));

  test('null is the same as absent', () =>
    withBot({ ...goodBot, environment: null, vcpu: null }, ({ body }) => assert.equal(body.data.name, 'greeter')));

  test('environment at its limits: 100 keys, a key of 128 characters, a value of 65,536 bytes', async () => {
    const keys = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`KEY_${index}`, '']));
    await withBot({ ...goodBot, environment: keys }, () => {});
    await withBot({ ...goodBot, environment: { ['k'.repeat(128)]: 'v'.repeat(65_536) } }, () => {});
  });

  test('startup_command of 2000 characters, also outside of ASCII, comes back as it was given', async () => {
    for (const command of ['x'.repeat(2000), `echo "${'ü'.repeat(1000)}😀"`, '  node  index.js ', 'a\nb\tc'])
      await withBot({ ...goodBot, startup_command: command }, ({ body }) =>
        assert.equal(body.data.startup_command, command),
      );
  });

  test('fields nested deeper than any stack are ignored like other unknown ones', () => {
    const depth = 100_000;
    const body = `${JSON.stringify(goodBot).slice(0, -1)},"deep":${'{"a":'.repeat(depth)}null${'}'.repeat(depth)}}`;
    return withBot(body, ({ body }) => assert.equal(body.data.memory, 256));
  });
});

const memoryFault = 'must be a whole number of MB, at least 128';
const nameFault = 'may contain only letters, numbers, underscores and hyphens';
const nameLength = 'must be between 1 and 64 characters';
const languageFault = `must be one of: ${languages.join(', ')}`;
const environmentFault = 'must be an object with string values';

/** Input at fault: what replaces fields of a good bot, the field that is named, its predicate. */
const badInputs: [object, string, string][] = [
  [{ name: undefined }, 'name', 'is required'],
  [{ name: null }, 'name', 'is required'],
  [{ name: 5 }, 'name', 'must be a string'],
  [{ name: ['a'] }, 'name', 'must be a string'],
  [{ name: { a: 1 } }, 'name', 'must be a string'],
  [{ name: true }, 'name', 'must be a string'],
  [{ name: '' }, 'name', nameLength],
  [{ name: 'x'.repeat(65) }, 'name', nameLength],
  [{ name: 'x'.repeat(100_000) }, 'name', nameLength],
  [{ name: 'my bot' }, 'name', nameFault],
  [{ name: ' bot' }, 'name', nameFault],
  [{ name: 'bot\n' }, 'name', nameFault],
  [{ name: 'bot\0' }, 'name', nameFault],
  [{ name: 'a.b' }, 'name', nameFault],
  [{ name: '../bot' }, 'name', nameFault],
  [{ name: 'a/b' }, 'name', nameFault],
  [{ name: 'a"b' }, 'name', nameFault],
  [{ name: '$(id)' }, 'name', nameFault],
  [{ name: '<b>' }, 'name', nameFault],
  [{ name: 'bött' }, 'name', nameFault],
  [{ name: 'ｂｏｔ' }, 'name', nameFault],
  [{ name: '٣' }, 'name', nameFault],
  [{ name: '😀' }, 'name', nameFault],
  [{ name: '\ud800' }, 'name', nameFault],
  [{ language: undefined }, 'language', 'is required'],
  [{ language: null }, 'language', 'is required'],
  [{ language: 1 }, 'language', 'must be a string'],
  [{ language: ['go'] }, 'language', 'must be a string'],
  [{ language: '' }, 'language', languageFault],
  [{ language: 'cobol' }, 'language', languageFault],
  [{ language: 'NodeJS' }, 'language', languageFault],
  [{ language: 'python ' }, 'language', languageFault],
  [{ language: 'toString' }, 'language', languageFault],
  [{ memory: undefined }, 'memory', 'is required'],
  [{ memory: null }, 'memory', 'is required'],
  [{ memory: '256' }, 'memory', 'must be a number'],
  [{ memory: '' }, 'memory', 'must be a number'],
  [{ memory: true }, 'memory', 'must be a number'],
  [{ memory: [256] }, 'memory', 'must be a number'],
  [{ memory: {} }, 'memory', 'must be a number'],
  [{ memory: 0 }, 'memory', memoryFault],
  [{ memory: -256 }, 'memory', memoryFault],
  [{ memory: 127 }, 'memory', memoryFault],
  [{ memory: 256.5 }, 'memory', memoryFault],
  [{ memory: 1e300 }, 'memory', memoryFault],
  [{ memory: 2 ** 53 }, 'memory', memoryFault],
  [{ startup_command: undefined }, 'startup_command', 'is required'],
  [{ startup_command: null }, 'startup_command', 'is required'],
  [{ startup_command: 5 }, 'startup_command', 'must be a string'],
  [{ startup_command: ['node', 'index.js'] }, 'startup_command', 'must be a string'],
  [{ startup_command: '' }, 'startup_command', 'must be between 1 and 2000 characters'],
  [{ startup_command: 'x'.repeat(2001) }, 'startup_command', 'must be between 1 and 2000 characters'],
  [{ startup_command: ' \t\n ' }, 'startup_command', 'is not valid'],
  [{ startup_command: 'node\0index.js' }, 'startup_command', 'is not valid'],
  [{ startup_command: 'node \ud800' }, 'startup_command', 'is not valid'],
  [{ environment: 'A=1' }, 'environment', environmentFault],
  [{ environment: 5 }, 'environment', environmentFault],
  [{ environment: false }, 'environment', environmentFault],
  [{ environment: [] }, 'environment', environmentFault],
  [{ environment: ['A=1'] }, 'environment', environmentFault],
  [{ environment: { A: { B: 'c' } } }, 'environment', environmentFault],
  [{ environment: { A: ['b'] } }, 'environment', environmentFault],
  [{ environment: { '': 'x' } }, 'environment.', 'is not valid'],
  [{ environment: { 'A=B': 'x' } }, 'environment.A=B', 'is not valid'],
  [{ environment: { 'A\0': 'x' } }, 'environment.A\0', 'is not valid'],
  [{ environment: { ['k'.repeat(129)]: 'x' } }, `environment.${'k'.repeat(129)}`, 'is not valid'],
  [{ environment: { BOTEL_TOKEN: 'x' } }, 'environment.BOTEL_TOKEN', 'is not valid'],
  [{ environment: { BOTEL_: 'x' } }, 'environment.BOTEL_', 'is not valid'],
  [{ environment: { 'ключ\n': 'x\0' } }, 'environment.ключ\n', 'is not valid'],
  [{ environment: { A: 'x\0y' } }, 'environment.A', 'is not valid'],
  [{ environment: { A: '\udc00' } }, 'environment.A', 'is not valid'],
  [{ environment: { A: 'v'.repeat(65_537) } }, 'environment.A', 'is not valid'],
  [{ environment: { A: 'ü'.repeat(32_769) } }, 'environment.A', 'is not valid'],
  [
    { environment: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`K${index}`, ''])) },
    'environment',
    'must have at most 100 keys',
  ],
  [
    { environment: Object.fromEntries(['A', 'B', 'C', 'D'].map((key) => [key, 'v'.repeat(65_536)])) },
    'environment',
    'must be at most 262144 bytes in total',
  ],
];

/** Bodies that are no JSON object. */
const brokenBodies = [
  '',
  '{',
  '{"name":"greeter",}',
  "{'name':'greeter'}",
  'name=greeter',
  'null',
  'true',
  '5',
  '"greeter"',
  '[]',
  JSON.stringify([goodBot]),
  `${JSON.stringify(goodBot)}${JSON.stringify(goodBot)}`,
  `${JSON.stringify(goodBot).slice(0, -1)},"memory":NaN}`,
  `${JSON.stringify(goodBot).slice(0, -1)},"environment":{"__proto__":"x"}}`,
  `${JSON.stringify(goodBot).slice(0, -1)},"__proto__":{"memory":1}}`,
];

describe('400', () => {
  test('every field that is missing, of another type or out of its bounds is named; nothing is stored', async () => {
    const before = await stored();
    for (const [change, field, fault] of badInputs)
      assertRefused(await create({ ...goodBot, ...change }), invalidInput(field, fault), JSON.stringify(change));
    assert.deepEqual(await stored(), before);
  });

  test('of several fields at fault the first is named, in the order name, language, memory, startup_command', async () => {
    const body: Record<string, unknown> = { environment: 'x' };
    for (const field of ['name', 'language', 'memory', 'startup_command'] as const) {
      assertRefused(await create(body), invalidInput(field, 'is required'));
      body[field] = goodBot[field];
    }
    assertRefused(await create(body), invalidInput('environment', environmentFault));
  });

  test('a body that is no JSON object is "Invalid JSON body"; nothing is stored', async () => {
    const before = await stored();
    for (const body of brokenBodies) assertRefused(await create(body), invalidJson, body);
    assertRefused(await create(undefined), invalidJson, 'no body');
    assert.deepEqual(await stored(), before);
  });

  test('a number beyond all numbers is no memory', async () => {
    const body = JSON.stringify(goodBot).replace('256', '1e999');
    assertRefused(await create(body), invalidInput('memory', 'must be a number'));
  });

  test('a field name of any text and length fits into X-Error-Field', async () => {
    const long = await create({ ...goodBot, environment: { ['ü'.repeat(100_000)]: 'x' } });
    assert.equal(long.status, 400);
    assert.ok((long.headers.get('X-Error-Field') ?? '').length < 2_000);
    const lone = await create(`${JSON.stringify(goodBot).slice(0, -1)},"environment":{"\\ud800":"x"}}`);
    assert.equal(lone.headers.get('X-Error-Field'), 'environment.%EF%BF%BD');
  });

  test('input is looked at before the plan', async () => {
    assertRefused(await create({ ...goodBot, memory: 999_999, startup_command: '' }), {
      ...invalidInput('startup_command', 'must be between 1 and 2000 characters'),
    });
    assertRefused(
      await create({ ...goodBot, memory: 999_999, environment: { BOTEL_X: '' } }),
      invalidInput('environment.BOTEL_X', 'is not valid'),
    );
  });
});

describe('401', () => {
  test('without a valid token, whatever the body; nothing is stored', async () => {
    const before = await stored();
    for (const body of [goodBot, '{', {}])
      assertRefused(await send(fixture.guest, 'POST /bots/create', body), unauthorized);
    assert.deepEqual(await stored(), before);
  });
});

describe('403', () => {
  const insufficient = (needed: number, available: number): Refusal => ({
    status: 403,
    code: 'insufficient_memory',
    error: `Insufficient memory: need ${needed}MB, only ${available}MB available`,
  });

  test('"Insufficient memory: need <requested>MB, only <available>MB available"; nothing is stored', async () => {
    const before = await stored();
    assertRefused(await create({ ...goodBot, memory: 4097 }), insufficient(4097, 4096));
    assertRefused(await create({ ...goodBot, memory: 2 ** 53 - 1 }), insufficient(2 ** 53 - 1, 4096));
    assert.deepEqual(await stored(), before);
    await withBot({ ...goodBot, memory: 3968 }, async () => {
      const used = await stored();
      assertRefused(await create({ ...goodBot, memory: 256 }), insufficient(256, 128));
      assert.deepEqual(await stored(), used);
      await withBot({ ...goodBot, memory: 128 }, async () => {
        assertRefused(await create({ ...goodBot, memory: 128 }), insufficient(128, 0));
      });
    });
    assert.deepEqual(await stored(), before);
  });

  test("another user's bots take nothing of the caller's plan", () =>
    withBot({ ...goodBot, memory: 4096 }, async () => {
      const theirs = await fixture.stranger.createBot({ ...goodBot, memory: 4096 });
      await fixture.stranger.deleteBot(theirs.id);
    }));

  test('the number of bots is bounded, and memory is checked before it', async () => {
    const bots = await Promise.all(Array.from({ length: 10 }, () => client.createBot({ ...goodBot, memory: 128 })));
    const before = await stored();
    assertRefused(await create({ ...goodBot, memory: 128 }), {
      status: 403,
      code: 'plan_limit',
      error: 'Plan limit reached: 10 of 10 bots',
    });
    assertRefused(await create({ ...goodBot, memory: 2817 }), insufficient(2817, 2816));
    assert.deepEqual(await stored(), before);
    for (const bot of bots) await client.deleteBot(bot.id);
  });

  test('"cannot exceed the plan limit": of 50 creates at once as many succeed as fit, to the MB', async (t) => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create({ ...goodBot, memory: 500 })));
    const created = answers.filter((answer) => answer.status === 201);
    assert.equal(created.length, 8);
    for (const answer of answers) if (answer.status !== 201) assertRefused(answer, insufficient(500, 96));
    assert.deepEqual((await client.usage()).memory, { limit_mb: 4096, used_mb: 4000, available_mb: 96 });
    assert.equal((await client.bots()).length, 8);
    t.diagnostic(`${created.length} of 50 creates of 500 MB succeeded, 4000 of 4096 MB are used`);
    for (const answer of created) await client.deleteBot(answer.body.data.id);
    assert.equal((await client.usage()).memory.used_mb, 0);
  });

  test('of 50 creates at once no more succeed than the plan has bots', async (t) => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create({ ...goodBot, memory: 128 })));
    const created = answers.filter((answer) => answer.status === 201);
    assert.equal(created.length, 10);
    assert.deepEqual((await client.usage()).bots, { limit: 10, used: 10 });
    t.diagnostic(`${created.length} of 50 creates succeeded with a plan of 10 bots`);
    for (const answer of created) await client.deleteBot(answer.body.data.id);
  });
});

describe('413', () => {
  test('a body over 1 MB; nothing is stored', async () => {
    const before = await stored();
    const answer = await create({ ...goodBot, padding: 'x'.repeat(1024 * 1024) });
    assertRefused(answer, { status: 413, code: 'too_large', error: 'Body exceeds the 1 MB limit' });
    assert.deepEqual(await stored(), before);
  });
});
