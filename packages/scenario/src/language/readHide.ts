import type { Source } from '../file/source.ts';
import type { ScenarioInput } from './scenarioSchema.ts';

/** Whether pictures fold away what comes before the first act, which there must be. */
export function readHide(source: Source, { hide, steps }: Pick<ScenarioInput, 'hide' | 'steps'>): boolean {
  const acts = Array.isArray(steps) && steps.some((step) => step?.act !== undefined);
  if (hide !== undefined && !acts)
    source.mistakeAtPath(
      ['hide'],
      'no act begins after which there is something to see',
      'add "- act: TITLE", or leave "hide" out',
    );
  return hide !== undefined;
}
