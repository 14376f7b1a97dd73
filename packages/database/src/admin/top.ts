import { ANYWHERE, atOnce } from '../atOnce.ts';
import type { Usage } from '../commandStats.ts';
import type { CommandDefinition } from '../definition.ts';
import type { MemberServices } from '../member.ts';
import { OPLOG_NS } from '../reading/oplogSource.ts';
import type { Reply } from '../reply.ts';

/** `{ top: 1 }` → `{ totals: { note, NS: { total: { time, count }, readLock, … } } }`, times in µs. Upstream: top_command.cpp. */
export const top: CommandDefinition = {
  name: 'top',
  ...ANYWHERE,
  adminOnly: true,
  run: atOnce(({ member }) => ({ totals: { note: 'all times in microseconds', ...totals(member) } })),
};

function totals({ counters, engine }: MemberServices): Reply {
  const exists = (ns: string) => ns === OPLOG_NS || engine.collection(ns) !== undefined;
  const used = counters.commands.usage(exists).map(([ns, usage]) => {
    const kinds = Object.entries(usage).map(([kind, each]) => [kind, shown(each as Usage)]);
    return [ns, Object.fromEntries(kinds)] as const;
  });
  return Object.fromEntries(used);
}

function shown({ micros, count }: Usage): Reply {
  return { time: BigInt(Math.round(micros)), count: BigInt(count) };
}
