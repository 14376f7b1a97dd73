import type { TraceEvent } from '@replsim/protocol';
import type { EventOf } from '../checker.ts';
import { ClientHistory } from './history.ts';
import type { HistoryModel } from './models.ts';
import { promisedTo } from './promises.ts';

/** Workloads of one collection, whose clients read what the others write. */
interface Shared {
  readonly history: ClientHistory;
  readonly workloads: EventOf<'workloadStarted'>[];
}

/** The histories of a run, one for each collection that has one. */
export class ClientHistories {
  readonly #collections = new Map<string, Shared>();
  readonly #namespaces = new Map<string, string>();

  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'workloadStarted':
        return this.#started(event);
      case 'clientCalled':
      case 'clientReturned':
        this.of(event.workload)?.observe(event);
    }
  }

  /** What a workload and all others of its collection have seen; undefined where no history is kept. */
  of(workload: string): ClientHistory | undefined {
    return this.#sharedBy(workload)?.history;
  }

  /** What MongoDB promises to all of its clients. */
  promised(workload: string): readonly HistoryModel[] {
    const { workloads = [] } = this.#sharedBy(workload) ?? {};
    const [first = [], ...others] = workloads.map(({ operation, history }) =>
      history ? promisedTo(operation, history) : [],
    );
    return first.filter((model) => others.every((models) => models.includes(model)));
  }

  #started(event: EventOf<'workloadStarted'>): void {
    const { history, ns, workload } = event;
    if (!history) return;
    this.#namespaces.set(workload, ns);
    const shared = this.#collections.get(ns) ?? { history: new ClientHistory(), workloads: [] };
    shared.workloads.push(event);
    this.#collections.set(ns, shared);
  }

  #sharedBy(workload: string): Shared | undefined {
    return this.#collections.get(this.#namespaces.get(workload) ?? '');
  }
}
