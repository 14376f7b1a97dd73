import type { Usage } from '@replsim/operations';
import type { Reply } from '@replsim/pipeline';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { StatusServices } from '../member.ts';
import { OPLOG_NS } from '../reading/oplogSource.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';

/** `{ top: 1 }` → `{ totals: { note, NS: { total: { time, count }, readLock, … } } }`, times in µs. Upstream: top_command.cpp. */
export const top: CommandDefinition = {
  name: 'top',
  help: 'shows how often and how long each collection was used',
  auth: { action: 'top', resource: 'cluster' },
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  run: atOnce((context) => ({ totals: { note: 'all times in microseconds', ...totals(context) } })),
};

function totals({ data, member: { counters } }: CommandContext<StatusServices>): Reply {
  const exists = (ns: string) => ns === OPLOG_NS || data.collection(ns) !== undefined;
  const used = counters.commands.usage(exists).map(([ns, usage]) => {
    const kinds = Object.entries(usage).map(([kind, each]) => [kind, shown(each as Usage)]);
    return [ns, Object.fromEntries(kinds)] as const;
  });
  return Object.fromEntries(used);
}

function shown({ micros, count }: Usage): Reply {
  return { time: BigInt(Math.round(micros)), count: BigInt(count) };
}
