import { decodeDocument, decodePromoted, formatOpTime } from '@replsim/protocol';
import { EJSON } from 'bson';
import type { Ask, Glance } from './glance.ts';
import type { StatusRow, StatusSeen } from './look.ts';

/** What `replSetGetStatus` says of a member, as far as the table has it. */
interface ToldMember {
  readonly name: string;
  readonly stateStr?: string;
  readonly health?: number;
  readonly self?: boolean;
  readonly optime?: { readonly ts: { readonly t: number; readonly i: number }; readonly t: number };
  readonly syncSourceHost?: string;
  readonly lastHeartbeatRecv?: Date;
  readonly lastHeartbeatMessage?: string;
  readonly infoMessage?: string;
}

/** What a member says of the set: a process that is down says nothing, and one that is paused would say it if it went on. */
export async function seeStatus(glance: Glance, member: string): Promise<StatusSeen> {
  const { nowMicros: atMicros, epochMs } = glance.set;
  const presence = glance.presence(member);
  const head = { kind: 'status', atMicros, member, presence } as const;
  if (presence === 'down')
    return { ...head, silence: glance.reasons.state(member).join('; '), members: [], status: '', ttl: '' };
  const read = await glance.reading(member, (ask) => readStatus(ask, Math.floor(epochMs / 1000)));
  return { ...head, members: [], status: '', ttl: '', ...read };
}

function readStatus(ask: Ask, epochSecs: number): Pick<StatusSeen, 'silence' | 'members' | 'status' | 'ttl'> {
  const status = ask('admin', { replSetGetStatus: 1 });
  const server = ask('admin', { serverStatus: 1 });
  const ttl = server.ok ? extendedJson(decodeDocument(server.bytes).metrics?.ttl ?? {}) : '';
  if (!status.ok) return { silence: status.silence, members: [], status: '', ttl };
  const told: readonly ToldMember[] = decodePromoted(status.bytes).members;
  return {
    members: told.map((each) => rowOf(each, epochSecs)),
    status: extendedJson(decodeDocument(status.bytes)),
    ttl,
  };
}

function rowOf(told: ToldMember, epochSecs: number): StatusRow {
  const { name, stateStr = '', health, self, optime, syncSourceHost = '', lastHeartbeatRecv } = told;
  return {
    name: self ? `${name} (itself)` : name,
    stateStr,
    health: health === undefined ? '' : health === 1 ? 'up' : 'down',
    optime: optime ? formatOpTime({ ts: { t: optime.ts.t, i: optime.ts.i }, t: Number(optime.t) }, epochSecs) : '',
    syncSourceHost,
    lastHeartbeatRecv: lastHeartbeatRecv?.toISOString() ?? '',
    message: told.lastHeartbeatMessage || told.infoMessage || '',
  };
}

function extendedJson(value: object): string {
  return EJSON.stringify(value, undefined, 2, { relaxed: true });
}
