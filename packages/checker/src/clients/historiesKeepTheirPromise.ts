import type { Checker } from '../checker.ts';
import { ClientHistories } from './histories.ts';
import { judgeHistory } from './models.ts';

/**
 * Clients of a workload see what MongoDB promises for their read and write concerns. The history is judged at the end of the run, from what
 * clients saw alone. A history that is too long to judge breaks nothing here; `judgeHistory` returns `undecided` for it.
 */
export function historiesKeepTheirPromise(): Checker {
  const histories = new ClientHistories();

  function judge(workload: string): string | undefined {
    const history = histories.of(workload);
    if (!history) return undefined;
    for (const model of histories.promised(workload)) {
      const verdict = judgeHistory(history, model);
      if (verdict.kind !== 'broken') continue;
      const [first] = verdict.anomalies;
      return `the history of ${workload} is not ${model}: ${first?.name}: ${first?.detail}`;
    }
    return undefined;
  }

  return {
    name: 'historiesKeepTheirPromise',
    events: ['workloadStarted', 'clientCalled', 'clientReturned', 'workloadEnded'],
    voidedBy: ['forcedReconfig', 'fewDataBearers', 'unjournaledMajority', 'lyingDisk'],
    observe(event) {
      histories.observe(event);
      return event.type === 'workloadEnded' ? judge(event.workload) : undefined;
    },
  };
}
