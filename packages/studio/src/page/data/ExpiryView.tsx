import { formatInstant } from '@replsim/kernel';
import type { ReactNode } from 'react';
import type { MemberAt } from '../../core/history/memberAt.ts';
import type { ExpiryRow, MonitorRow } from '../../core/look/look.ts';
import { useActions, usePage } from '../context.ts';
import { Box } from '../controls/Box.tsx';
import { Answered } from './Answered.tsx';
import { useLook } from './useLook.ts';

/** What TTL indexes have to do, how late that is and why, and who may do it when. */
export function ExpiryView(): ReactNode {
  const { guide, atMicros } = usePage();
  const { ask: onAsk } = useActions();
  const looked = useLook({ kind: 'expiry', atMicros });
  const { seen } = looked;
  if (!seen) return <Answered looked={looked}>{null}</Answered>;
  const { members } = guide.seen.history.at(seen.atMicros);
  const ask = (member: string) => onAsk({ kind: 'monitor', atMicros: seen.atMicros, member });
  return (
    <Answered looked={looked}>
      <p>{nextPass(members)}</p>
      <Indexes
        rows={seen.indexes}
        onAsk={(member, ns) => onAsk({ kind: 'data', atMicros: seen.atMicros, member, ns })}
      />
      <Monitors rows={seen.monitors} members={members} onAsk={ask} />
    </Answered>
  );
}

/** Of the members whose deletes count: which one's monitor wakes first. */
function nextPass(members: readonly MemberAt[]): string {
  const allowed = members.filter(
    ({ acceptsWrites, standalone, process }) => (acceptsWrites || standalone) && process === 'running',
  );
  const busy = allowed.find(({ ttl }) => ttl?.phase === 'inPass');
  if (busy) return `The TTL monitor of ${busy.name} is in a pass.`;
  const wakes = allowed.flatMap(({ name, ttl }) =>
    ttl?.phase === 'sleeping' && ttl.wakeMicros !== undefined ? [{ name, wakeMicros: ttl.wakeMicros }] : [],
  );
  const [first] = wakes.sort((a, b) => a.wakeMicros - b.wakeMicros);
  if (!first) return 'No pass that could delete is planned: no member that accepts writes has a sleeping TTL monitor.';
  return `The next pass that may delete is due on ${first.name} at ${formatInstant(first.wakeMicros)}.`;
}

interface IndexesProps {
  readonly rows: readonly ExpiryRow[];
  readonly onAsk: (member: string, ns: string) => void;
}

function Indexes({ rows, onAsk }: IndexesProps): ReactNode {
  if (rows.length === 0) return <p>No TTL monitor has had an index yet.</p>;
  return (
    <Box label="TTL indexes">
      <table className="look">
        <caption>TTL indexes</caption>
        <thead>
          <tr>
            {[
              'index',
              'expireAfterSeconds',
              'due now',
              'the oldest is late by',
              'deleted so far',
              'gone from each member',
            ].map((each) => (
              <th key={each} scope="col">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ ns, index, expireAfterSeconds, on, due, oldest, gone, members }) => (
            <tr key={`${ns} ${index}`}>
              <th scope="row">{`${ns} ${index}`}</th>
              <td>{expireAfterSeconds ?? 'no member that answered has it'}</td>
              <td>
                {due === undefined ? 'not known' : `${due} on ${on} `}
                {on !== undefined && (
                  <button type="button" className="plain-button ask" onClick={() => onAsk(on, ns)}>
                    why?
                  </button>
                )}
              </td>
              <td>{oldest ?? (due === 0 ? 'nothing is due' : 'not known')}</td>
              <td>{gone}</td>
              <td>
                {members.map((each) => (
                  <div key={each}>{each}</div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  );
}

interface MonitorsProps {
  readonly rows: readonly MonitorRow[];
  readonly members: readonly MemberAt[];
  readonly onAsk: (member: string) => void;
}

function Monitors({ rows, members, onAsk }: MonitorsProps): ReactNode {
  return (
    <Box label="TTL monitors">
      <table className="look">
        <caption>TTL monitors</caption>
        <thead>
          <tr>
            {['member', 'wakes', 'passes', 'deleted', 'what it does'].map((each) => (
              <th key={each} scope="col">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ member, sentences, passes, deletedDocuments }) => (
            <tr key={member}>
              <th scope="row">{member}</th>
              <td>{wakeText(members.find(({ name }) => name === member))}</td>
              <td>{passes ?? 'not known'}</td>
              <td>{deletedDocuments ?? 'not known'}</td>
              <td>
                {sentences.join('; ')}{' '}
                <button type="button" className="plain-button ask" onClick={() => onAsk(member)}>
                  why?
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  );
}

function wakeText(member: MemberAt | undefined): string {
  const ttl = member?.ttl;
  if (!ttl) return 'not known';
  return ttl.phase === 'sleeping' && ttl.wakeMicros !== undefined ? formatInstant(ttl.wakeMicros) : PHASES[ttl.phase];
}

const PHASES = { off: 'off', sleeping: 'asleep', hanging: 'hangs', inPass: 'in a pass' } as const;
