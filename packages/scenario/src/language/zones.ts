import { checkLatency, type Latency } from '@replsim/replset';
import type { Source } from '../file/source.ts';
import type { Reader } from '../reading/reader.ts';
import type { Step } from '../scenario.ts';
import { readFault } from '../steps/readFault.ts';
import type { ScenarioInput } from './scenarioSchema.ts';

type Zones = ReadonlyMap<string, readonly string[]>;

/** Reads which members are in which zone. A member in two zones, or one that does not exist, is a mistake. */
export function readZones(source: Source, { zones }: Partial<ScenarioInput>, reader: Reader): Zones {
  const placed = new Map<string, string>();
  const { latencyMs: _, ...named } = zones ?? {};
  const groups = Object.entries(named).filter((entry): entry is [string, string[]] => Array.isArray(entry[1]));
  for (const [zone, members] of groups) {
    const path = ['zones', zone];
    if (reader.isTarget(zone))
      source.mistakeAtKey(['zones'], zone, `"${zone}" means something already`, 'call the zone otherwise');
    for (const [index, member] of members.entries()) {
      const other = placed.get(member);
      if (other === undefined) reader.member([...path, index], member);
      else source.mistakeAtPath([...path, index], `${member} is already in ${other}`, 'name it in one of them');
      placed.set(member, zone);
    }
  }
  return new Map(groups);
}

/** The step before the first: it makes the ways between zones as long as the head says. */
export function zoneStep(reader: Reader, zones: Zones, latencyMs: Latency | undefined): Step[] {
  if (latencyMs === undefined) return [];
  const { source } = reader;
  const path = ['zones', 'latencyMs'];
  checkLatency(latencyMs, path, {
    mistake: (at, message, suggestion) => source.mistakeAtPath(at, message, suggestion),
  });
  if (zones.size < 2) {
    source.mistakeAtPath(path, 'a latency between zones needs two of them');
    return [];
  }
  const action = readFault(reader, ['zones'], 'link', { between: [...zones.keys()], latencyMs });
  const text = `link: {between: [${[...zones.keys()].join(', ')}], latencyMs: ${JSON.stringify(latencyMs)}}`;
  return [{ index: 0, line: source.lineOf(path), key: 'link', text, action }];
}
