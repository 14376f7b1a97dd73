import type { Reply } from '@replsim/pipeline';
import type { ReadConcernLevel, ReadConcernRequest } from '../concernRequests.ts';

/** Whose read concerns count; a `getMore` has that of its cursor. Upstream: commands.h, shouldAffectReadConcernCounter. */
const COUNTED: ReadonlySet<string> = new Set(['find', 'aggregate', 'count', 'distinct']);

type LevelCounts = Record<ReadConcernLevel, number>;

/**
 * How often reads asked for each level, or for none. Upstream: server_read_concern_metrics.cpp.
 */
export class ReadConcernCounts {
  readonly #sent = levelCounts();
  readonly #customDefault = levelCounts();
  readonly #implicitDefault = levelCounts();
  #none = 0;
  #atTime = 0;

  /** @param request as it came, or that of the transaction; undefined where there is none to be had */
  count(command: string, request: ReadConcernRequest | undefined): void {
    if (!request || !COUNTED.has(command)) return;
    const { level, provenance, hasLevel, atClusterTime } = request;
    if (provenance === 'clientSupplied' && hasLevel) {
      if (atClusterTime) this.#atTime += 1;
      else this.#sent[level] += 1;
      return;
    }
    this.#none += 1;
    (provenance === 'customDefault' ? this.#customDefault : this.#implicitDefault)[level] += 1;
  }

  /** @param inTransactions where two of the levels do not exist. Upstream: read_concern_stats.idl, ReadConcernOps. */
  report(inTransactions: boolean): Reply {
    const available = ({ available: count }: LevelCounts) => !inTransactions && { available: BigInt(count) };
    const custom = this.#customDefault;
    const implicit = this.#implicitDefault;
    const sent = this.#sent;
    return {
      none: BigInt(this.#none),
      noneInfo: {
        CWRC: { local: BigInt(custom.local), ...available(custom), majority: BigInt(custom.majority) },
        implicitDefault: { local: BigInt(implicit.local), ...available(implicit) },
      },
      local: BigInt(sent.local),
      ...available(sent),
      majority: BigInt(sent.majority),
      snapshot: { withClusterTime: BigInt(this.#atTime), withoutClusterTime: BigInt(sent.snapshot) },
      ...(!inTransactions && { linearizable: BigInt(sent.linearizable) }),
    };
  }
}

function levelCounts(): LevelCounts {
  return { local: 0, available: 0, majority: 0, linearizable: 0, snapshot: 0 };
}
