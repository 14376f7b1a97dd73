import { encodeDocument } from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import type { Members } from '../stage/members.ts';
import type { Outage } from './forecast.ts';

/** Begins an outage. @returns what ends it; undefined where there was nobody whom it could befall */
export function begin({ what }: Outage, set: ReplicaSetApi, members: Members): (() => Promise<void>) | undefined {
  const primary = members.primary();
  switch (what) {
    case 'kill primary':
      if (primary === undefined) return undefined;
      set.fault({ type: 'kill', member: primary });
      return async () => set.fault({ type: 'start', member: primary });
    case 'no majority':
      set.fault({ type: 'partition', groups: members.names.map((name) => [name]) });
      return async () => set.fault({ type: 'heal', members: 'all' });
    case 'monitor off':
      switchMonitors(set, members, false);
      return async () => switchMonitors(set, members, true);
    case 'pause secondary': {
      const secondary = members.names.findLast((name) => name !== primary && members.answers(name));
      if (secondary === undefined) return undefined;
      set.fault({ type: 'pause', member: secondary });
      return async () => set.fault({ type: 'resume', member: secondary });
    }
  }
}

function switchMonitors(set: ReplicaSetApi, members: Members, ttlMonitorEnabled: boolean): void {
  const command = encodeDocument({ setParameter: 1, ttlMonitorEnabled, $db: 'admin' });
  for (const name of members.names) set.send(name, command);
}
