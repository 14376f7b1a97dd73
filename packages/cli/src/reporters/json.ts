import type { Io } from '../io.ts';
import type { Outcome, Reporter } from './reporter.ts';

/** One JSON document for programs, as `report.schema.json` says; its `version` grows when a reader would have to change. */
export function jsonReporter(io: Io): Reporter {
  return {
    ended({ outcomes, tookMs }) {
      const passed = outcomes.filter(({ ok }) => ok).length;
      const failed = outcomes.length - passed;
      const errors = outcomes.filter(({ error }) => error !== undefined).length;
      const scenarios = outcomes.map((outcome) => scenarioOf(outcome));
      const report = { version: 1, passed, failed, errors, wallMs: Math.round(tookMs), scenarios };
      io.out(`${JSON.stringify(report, undefined, 2)}\n`);
    },
  };
}

function scenarioOf(outcome: Outcome): object {
  const { path, name, ok, seed, steps, invariants, events, virtualMs, wallMs } = outcome;
  const { workloads, sometimes, challenge, ttl, error, failure, repeat } = outcome;
  return {
    file: path,
    name,
    ok,
    seed,
    steps,
    invariants,
    events,
    virtualMs,
    wallMs: Math.round(wallMs),
    ...(workloads.length > 0 && { workloads }),
    ...(sometimes && { sometimes }),
    ...(challenge && { challenge }),
    ...(ttl && ttl.length > 0 && { ttl }),
    ...(error && { error }),
    ...(failure && { failure: { ...failure, repeat } }),
  };
}
