import type { MutatedRule } from './mutatedRule.ts';

const TIMERS = { file: 'packages/replset/src/timers.ts', test: 'packages/replset/test/clocks.test.ts' };
const LOOP = { file: 'packages/replset/src/loop.ts', test: 'packages/replset/test/processes.test.ts' };
const PASSAGE = { file: 'packages/replset/src/passage.ts', test: 'packages/replset/test/order.test.ts' };
const ANSWERS = {
  file: 'packages/scenario/src/checks/lastAnswers.ts',
  test: 'packages/scenario/test/lastAnswers.test.ts',
};
const MEMORY = 'packages/replsim/src/mongodbMemoryServer';
const MEMORY_SET = {
  file: `${MEMORY}/memoryReplSet.ts`,
  test: 'packages/replsim/test/mongodbMemoryServer/memoryReplSet.test.ts',
};
const START = { file: `${MEMORY}/startOptions.ts`, test: 'packages/replsim/test/mongodbMemoryServer/options.test.ts' };
const INSTANCE = {
  file: `${MEMORY}/mongoInstance.ts`,
  test: 'packages/replsim/test/mongodbMemoryServer/mongoInstance.test.ts',
};

/** What carries members through time, and what looks at them. */
export const worldRules: readonly MutatedRule[] = [
  {
    ...TIMERS,
    from: 'cancelTimer(world, process, key);\n  if (computes',
    to: 'if (computes',
    test: 'packages/replset/test/order.test.ts',
    why: 'a timer that is set again moves',
  },
  {
    ...TIMERS,
    from: 'process.alarms.delete(key);\n  if (process.computing',
    to: 'if (process.computing',
    why: 'an alarm that was taken back does not move with the clock',
  },
  {
    ...TIMERS,
    from: 'if (handle === undefined || world.queue.cancel(handle)) setAlarm(world, process, key, wallMs);',
    to: 'if (handle === undefined) setAlarm(world, process, key, wallMs);',
    why: 'an alarm moves with the wall clock',
  },
  {
    ...TIMERS,
    from: 'if (handle === undefined || world.queue.cancel(handle)) setAlarm(world, process, key, wallMs);',
    to: 'setAlarm(world, process, key, wallMs);',
    why: 'an alarm that a paused process has missed is heard once',
  },
  {
    ...LOOP,
    from: 'if (process.paused || process.held.length > 0) {',
    to: 'if (process.paused) {',
    why: 'what a paused process missed comes before what follows',
  },
  {
    ...LOOP,
    from: "const stale = event.type === 'timer' && process.timers.get(event.key) !== timer;",
    to: 'const stale = false;',
    why: 'a timer that was set anew meanwhile does not fire twice',
  },
  {
    ...LOOP,
    from: 'if (!process.alive) return;\n  if (process.paused',
    to: 'if (process.paused',
    why: 'a process that has ended sees nothing',
  },
  {
    ...LOOP,
    from: "if (!link.deliverable) return traceMessage(world, 'lost', request);",
    to: '',
    test: 'packages/replset/test/messages.test.ts',
    why: 'a cut loses what is on its way',
  },
  {
    ...LOOP,
    from: 'if (process === undefined || (sentTo !== undefined && sentTo !== process)) {',
    to: 'if (process === undefined) {',
    test: 'packages/replset/test/messages.test.ts',
    why: 'a request to a process that has ended does not reach the next one',
  },
  {
    ...PASSAGE,
    from: 'other.atMicros > atMicros',
    to: 'other.atMicros >= atMicros',
    why: 'what is looked at at one instant comes in the order in which it was asked for',
  },
  {
    ...PASSAGE,
    from: 'if (!(await this.#runThrough(stop, true))) continue;',
    to: 'await this.#runThrough(stop, false);',
    why: 'runUntil looks after every change',
  },
  {
    ...PASSAGE,
    from: 'if (stop === limitMicros) return done();',
    to: 'if (stop === limitMicros) return false;',
    why: 'runUntil looks at the end, too',
  },
  {
    ...ANSWERS,
    from: 'if (check !== this.#check || changes === this.#changes) this.#said.clear();',
    to: 'if (check !== this.#check) this.#said.clear();',
    why: 'where nothing has happened, time has passed, and everybody is asked again',
  },
  {
    ...ANSWERS,
    from: 'if (check !== this.#check || changes === this.#changes) this.#said.clear();',
    to: 'if (changes === this.#changes) this.#said.clear();',
    why: 'another check asks for itself',
  },
  {
    ...ANSWERS,
    from: 'if (known?.changes === changes) return known.reply;',
    to: 'if (known) return known.reply;',
    why: 'who has changed is asked again',
  },
  {
    ...ANSWERS,
    from: 'if (command.dynamic) return this.#set.ask(member, fill(command, filling));',
    to: '',
    why: 'what moves with the time is always asked',
  },
  {
    ...ANSWERS,
    from: 'this.#changes = changes;',
    to: '',
    why: 'a check is compared with how things were when it was made last',
  },
  {
    ...MEMORY_SET,
    from: 'if (cleanup.doCleanup) await this.cleanup(cleanup);',
    to: '',
    title: 'nothing is left',
    why: 'a set that is stopped deletes its data, unless it was asked to keep it',
  },
  {
    ...MEMORY_SET,
    from: 'if (cleanup.doCleanup && (cleanup.force || !this.#isOnDisk)) await this.#set?.stop();',
    to: '',
    equal: 'the servers are stopped and the cleanup stops the set all the same: only a flush is spared',
    why: 'data that is about to be discarded need not be flushed',
  },
  {
    file: 'packages/replsim/src/replicaSet.ts',
    test: 'packages/replsim/test/replicaSet.test.ts',
    from: 'if (force) await this.cleanup({ force });',
    to: '',
    title: 'until it is cleaned up',
    why: 'stop with force: true deletes the folder of the data',
  },
  {
    ...MEMORY_SET,
    from: 'await this.#started();\n    // Data',
    to: '// Data',
    why: 'who stops it while it starts waits for that',
  },
  {
    ...MEMORY_SET,
    from: 'else for (const server of this.servers) await server.start(true);',
    to: 'else await this.#launch();',
    why: 'without a cleanup it starts again with its data',
  },
  {
    ...START,
    from: 'const count = Math.max(replSet.count, instanceOpts.length);',
    to: 'const count = replSet.count;',
    test: MEMORY_SET.test,
    why: 'there is a member for each entry of instanceOpts',
  },
  {
    ...START,
    from: 'settings: { electionTimeoutMillis: 5000, ...replSet.configSettings },',
    to: 'settings: { electionTimeoutMillis: 5000 },',
    test: MEMORY_SET.test,
    why: 'configSettings are those of the set',
  },
  {
    ...START,
    from: 'if (warned.has(text)) return;',
    to: '',
    why: 'a typo is warned of once',
  },
  {
    ...START,
    from: 'const wanted = version ?? surroundings.version ?? DEFAULT_RELEASE;',
    to: 'const wanted = version ?? DEFAULT_RELEASE;',
    why: 'MONGOMS_VERSION says the version',
  },
  {
    ...INSTANCE,
    from: "if (code !== 0) this.emit('instanceError', new UnexpectedCloseError(code, signal));",
    to: '',
    why: 'an end that nobody asked for is an error',
  },
  {
    ...INSTANCE,
    from: 'if (name === member) this.#heard(how);',
    to: 'this.#heard(how);',
    why: 'an instance hears of its own process',
  },
];
