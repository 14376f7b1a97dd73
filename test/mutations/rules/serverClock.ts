import type { MutatedRule } from './mutatedRule.ts';

const PACE = { file: 'packages/server/src/clock/pace.ts', test: 'packages/server/test/clock/pace.test.ts' };
const PACER = { file: 'packages/server/src/clock/pacer.ts', test: 'packages/server/test/clock/pacer.test.ts' };
const JUMPS = { ...PACER, test: 'packages/server/test/clock/pacerJumps.test.ts' };
const SLICES = { ...PACER, test: 'packages/server/test/clock/pacerSlices.test.ts' };
const GOALS = { file: 'packages/server/src/clock/goals.ts', test: 'packages/server/test/clock/goals.test.ts' };
const FOLLOWED = {
  file: 'packages/server/src/clock/followedClock.ts',
  test: 'packages/server/test/clock/followedClock.test.ts',
};
const STANDSTILL = {
  file: 'packages/server/src/clock/standstill.ts',
  test: 'packages/server/test/clock/toldOnce.test.ts',
};

export const serverClockRules: readonly MutatedRule[] = [
  {
    ...JUMPS,
    from: 'this.#goals.nearestMicros(set.nowMicros), ',
    to: '',
    why: 'a jump ends where it is to end, however far a command under way could carry time',
  },
  {
    ...PACE,
    from: 'if (nowMicros < this.#changedAtMicros) return heldMs < LONGEST_HOLD_AFTER_CHANGE_MS;',
    to: '',
    why: 'after a change of speed no client sees a time before the one that was shown',
  },
  {
    ...PACE,
    from: 'return this.keepsStep ? this.dueMicros(wallMs) + this.#maxLeadMicros : Number.POSITIVE_INFINITY;',
    to: 'return Number.POSITIVE_INFINITY;',
    why: 'a command carries virtual time ahead by the greatest lead at most',
  },
  {
    ...PACE,
    from: 'return this.#speed > 1 ? nowMicros + this.#mostBehindMicros : Number.POSITIVE_INFINITY;',
    to: 'return Number.POSITIVE_INFINITY;',
    why: 'hours that nobody has seen are not told of',
  },
  {
    ...PACE,
    from: 'if (micros <= this.dueMicros(wallMs)) return;',
    to: '',
    why: 'virtual time never goes back',
  },
  {
    ...PACE,
    from: 'const owed = this.keepsStep ? Math.min(Math.max(leadMicros, 0), this.#maxLeadMicros) : 0;',
    to: 'const owed = 0;',
    why: 'a lead from before a goal is still waited for',
  },
  {
    ...PACE,
    from: 'if (behindMicros <= this.#mostBehindMicros) return false;',
    to: 'return false;',
    why: 'where the set has fallen behind, what comes in waits for it',
  },
  {
    ...PACE,
    from: 'return heldMs < Math.max(SHORTEST_HOLD_MS, LONGEST_HOLD_MS / Math.max(1, this.#speed));',
    to: 'return true;',
    why: 'nothing waits for ever for a set that cannot catch up',
  },
  {
    ...PACER,
    from: 'if (this.#inputs.length > 0) return this.#takeIn(paced, end.ms);',
    to: "if (this.#inputs.length > 0) { this.#inputs.shift()!.happen(); return 'passed'; }",
    test: 'packages/server/test/clock/pacerStep.test.ts',
    why: 'what is due happens before an input comes in',
  },
  {
    ...PACER,
    from: 'if (this.#goals.size === 0) this.#leadBeforeGoals = this.leadMicros;',
    to: '',
    test: 'packages/server/test/clock/pacerStep.test.ts',
    why: 'the lead of before the first goal is kept',
  },
  {
    ...JUMPS,
    from: 'const waiting = [...this.#inputs.splice(0), ...this.#goals.drop()];',
    to: 'const waiting = this.#inputs.splice(0);',
    why: 'whoever waits for time hears that the set has stopped',
  },
  {
    ...JUMPS,
    from: 'this.#stoppedMicros = this.nowMicros;',
    to: '',
    why: 'what the clock has shown stays true when it stops',
  },
  {
    ...JUMPS,
    from: 'if (this.#stopped) return Math.max(this.#stoppedMicros, nowMicros);',
    to: '',
    why: 'a clock that has stopped shows no more time',
  },
  {
    ...JUMPS,
    from: 'const isAnswered = ahead && pulledFor > 0 && this.#pulls.size === 0;',
    to: 'const isAnswered = false as boolean;',
    why: 'once a command is answered, time waits for the wall clock',
  },
  {
    ...JUMPS,
    from: 'this.#goals.beginAgain(micros);',
    to: '',
    why: 'a jump counts from where the wall clock is, once timers are no longer faked',
  },
  {
    ...JUMPS,
    from: 'if (this.#followed === undefined) this.#pace.jumpedBy(micros);',
    to: 'this.#pace.jumpedBy(micros);',
    why: 'a clock that is followed has jumped itself',
  },
  {
    ...GOALS,
    from: 'goal.reached({ held, atMicros: nowMicros });',
    to: 'goal.reached({ held: true, atMicros: nowMicros });',
    why: 'who waits for something is told if time was up first',
  },
  {
    ...GOALS,
    from: 'Math.min(nowMicros, goal.limitMicros)',
    to: 'nowMicros',
    why: 'a jump that begins again beyond its limit takes nothing away from the lead',
  },
  {
    ...PACER,
    from: 'this.#wallPace?.dueMicros(this.#time.monotonicMs()) ?? 0',
    to: '0',
    test: 'packages/server/test/clock/pacerStep.test.ts',
    why: 'that a clock which was followed stood still leaves nothing behind',
  },
  {
    ...PACER,
    from: 'this.#leadBeforeGoals = 0;\n    this.#goals',
    to: 'this.#goals',
    test: 'packages/server/test/clock/pacerStep.test.ts',
    title: 'a lead from before a goal is waited for no more',
    why: 'nobody waits for a lead of before a clock was followed',
  },
  {
    ...JUMPS,
    from: 'this.#followed?.leave();\n    this.#followed = undefined;',
    to: 'this.#followed = undefined;',
    why: 'a clock that is followed no longer is not driven on',
  },
  {
    ...JUMPS,
    file: 'packages/server/src/clock/goals.ts',
    from: 'if (goal.isJump) jumped(nowMicros - beganMicros);',
    to: '',
    why: 'a jump is kept on top of the real time that it took',
  },
  {
    ...PACER,
    from: "if (this.#isUpToDate || limit <= set.nowMicros) return 'idle';",
    to: "if (limit <= set.nowMicros) return 'idle';",
    test: 'packages/server/test/clock/pacerStep.test.ts',
    why: 'that a step takes time is no reason for another step',
  },
  {
    ...SLICES,
    from: 'if (this.#time.monotonicMs() >= end.ms || this.#set.nowMicros >= end.micros) {',
    to: 'if (this.#time.monotonicMs() < 0) {',
    why: 'sockets are served between two stretches',
  },
  {
    ...FOLLOWED,
    from: 'if (this.#finishing === 0 && !busy() && this.#isQuiet()) this.#fire();',
    to: 'if (this.#finishing === 0 && this.#isQuiet()) this.#fire();',
    why: 'a faked clock does not go on while what is due is not done',
  },
  {
    ...FOLLOWED,
    from: 'if (traffic === this.#seenTraffic) return ++this.#quietTurns >= QUIET_TURNS;',
    to: 'return true;',
    why: 'clients have their turns before the clock goes on',
  },
  {
    ...STANDSTILL,
    from: 'if (this.#stood.nowMicros() !== sinceMicros) return this.look();',
    to: '',
    why: 'time that has passed meanwhile is no standstill',
  },
  {
    ...STANDSTILL,
    from: 'this.#hasTold = true;\n    for',
    to: 'for',
    why: 'a standstill is told once',
  },
];
