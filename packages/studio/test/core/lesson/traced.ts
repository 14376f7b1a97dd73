import { readFileSync } from 'node:fs';
import type { TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';

/** The trace of a scenario of the folder, as the page gets it. */
export function traceOf(file: string, seed?: number): Promise<TraceEvent[]> {
  return traceOfText(readFileSync(new URL(`../../../../../scenarios/${file}.yaml`, import.meta.url), 'utf8'), seed);
}

export async function traceOfText(text: string, seed?: number): Promise<TraceEvent[]> {
  const trace: TraceEvent[] = [];
  await playScenario(parseScenario(text, 'scenario.yaml'), (setup) => ReplSet.create({ ...setup, causes: true }), {
    ...(seed !== undefined && { seed }),
    onTrace: (event) => trace.push(event),
  });
  return trace;
}
