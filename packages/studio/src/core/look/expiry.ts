import { decodePromoted, splitNamespace } from '@replsim/protocol';
import {
  dueBy,
  expiredFilter,
  latenessText,
  lateText,
  partsText,
  reportTtl,
  type TtlIndexReport,
} from '@replsim/scenario';
import type { Glance } from './glance.ts';
import type { ExpiryRow, ExpirySeen, MonitorRow } from './look.ts';
import { batchOf } from './replies.ts';

/** What TTL indexes have to do, and who does it. */
export function seeExpiry(glance: Glance): ExpirySeen {
  const { set, lateness, members } = glance;
  return {
    kind: 'expiry',
    atMicros: set.nowMicros,
    indexes: reportTtl(lateness, set, members).map((report) => rowOf(report, glance)),
    monitors: set.memberNames.map((member) => monitorOf(member, glance)),
  };
}

function rowOf(report: TtlIndexReport, glance: Glance): ExpiryRow {
  const { ns, index, primary, members, pending } = report;
  return {
    ns,
    index,
    ...(pending && { on: pending.on, due: pending.count, ...oldestOf(report, pending.on, glance) }),
    gone: latenessText(primary),
    members: members.map((summary) => `${summary.on}: ${latenessText(summary)}`),
  };
}

/** The seconds of an index, and of those that are due by it the one that has been due for longest. */
function oldestOf(known: TtlIndexReport, on: string, glance: Glance): Pick<ExpiryRow, 'expireAfterSeconds' | 'oldest'> {
  const { set, lateness, arrivals } = glance;
  const [db, collection] = splitNamespace(known.ns);
  const ask = glance.ask(on);
  const due = dueBy(known, (command) => ask(db, command).bytes);
  if (!due) return {};
  const { seconds: expireAfterSeconds, path } = due;
  const oldestMs = known.pending?.oldestMs;
  const filter = expiredFilter(due, set.epochMs + set.nowMicros / 1000);
  if (oldestMs === undefined || !filter) return { expireAfterSeconds };
  const found = ask(db, { find: collection, filter, sort: { [path]: 1 }, limit: 1 });
  const [oldest] = found.ok ? batchOf(found.bytes) : [];
  if (!oldest) return { expireAfterSeconds };
  const times = {
    expiryMicros: set.nowMicros - oldestMs * 1000,
    insertedMicros: arrivals.insertedMicros(known.ns, oldest),
  };
  const parts = lateness.waited(known, times, set.nowMicros, (member) => set.wallMs(member));
  return { expireAfterSeconds, oldest: `${lateText(oldestMs)}${parts ? `: ${partsText(parts)}` : ''}` };
}

function monitorOf(member: string, glance: Glance): MonitorRow {
  const sentences = glance.reasons.monitor(member);
  if (glance.presence(member) !== 'running') return { member, sentences };
  const status = glance.ask(member)('admin', { serverStatus: 1 });
  if (!status.ok) return { member, sentences };
  const { passes, deletedDocuments } = decodePromoted(status.bytes).metrics?.ttl ?? {};
  return { member, sentences, passes: Number(passes ?? 0), deletedDocuments: Number(deletedDocuments ?? 0) };
}
