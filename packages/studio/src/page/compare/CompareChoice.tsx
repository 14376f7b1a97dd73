import { DEFAULT_SETTINGS, VERSIONS } from '@replsim/protocol';
import type { ReactNode } from 'react';
import type { Difference } from '../../core/edit/difference.ts';
import { Choice, type Option } from '../controls/Choice.tsx';
import { Field } from '../controls/Field.tsx';

interface Props {
  readonly difference: Difference;
  /** The second scenario as it is now. */
  readonly text: string;
  readonly onChoose: (difference: Difference) => void;
  /** What to begin with of a kind. */
  readonly beginningOf: (kind: Exclude<Difference['kind'], 'text'>) => Difference;
}

/** In what the second run is to differ. */
export function CompareChoice({ difference, text, onChoose, beginningOf }: Props): ReactNode {
  const choose = (kind: Difference['kind']) => onChoose(kind === 'text' ? { kind, text } : beginningOf(kind));
  return (
    <div className="compare-choice">
      <Choice
        label="the same scenario with"
        value={difference.kind}
        options={KINDS}
        onChoose={(kind) => choose(kind as Difference['kind'])}
      />
      <Value difference={difference} onChoose={onChoose} />
    </div>
  );
}

const KINDS: readonly (Option & { readonly value: Difference['kind'] })[] = [
  { value: 'seed', text: 'another seed' },
  { value: 'setting', text: 'another setting' },
  { value: 'version', text: 'another version' },
  { value: 'writeConcern', text: 'another write concern' },
  { value: 'text', text: 'what I write in the other text' },
];

function Value({ difference, onChoose }: Omit<Props, 'text' | 'beginningOf'>): ReactNode {
  switch (difference.kind) {
    case 'seed':
      return (
        <Field
          label="second seed"
          value={Number.isNaN(difference.seed) ? '' : String(difference.seed)}
          onType={(typed) =>
            onChoose({ kind: 'seed', seed: typed === '' ? Number.NaN : Number(typed.replace(/\D/g, '')) })
          }
        />
      );
    case 'setting':
      return <SettingValue difference={difference} onChoose={onChoose} />;
    case 'version':
      return (
        <Choice
          label="second version"
          value={difference.version}
          options={Object.keys(VERSIONS).map((version) => ({ value: version, text: version }))}
          onChoose={(version) => onChoose({ kind: 'version', version })}
        />
      );
    case 'writeConcern':
      return (
        <Field
          label="w of all writes"
          value={difference.w}
          suggested={['1', '2', '3', 'majority']}
          onType={(w) => onChoose({ kind: 'writeConcern', w })}
        />
      );
    case 'text':
      return null;
  }
}

interface SettingProps {
  readonly difference: Extract<Difference, { kind: 'setting' }>;
  readonly onChoose: Props['onChoose'];
}

function SettingValue({ difference, onChoose }: SettingProps): ReactNode {
  return (
    <>
      <Field
        label="setting"
        isWide
        value={difference.name}
        suggested={NAMES}
        onType={(name) => onChoose({ ...difference, name })}
      />
      <Field label="value" value={difference.value} onType={(value) => onChoose({ ...difference, value })} />
    </>
  );
}

/** Those that the language knows, and a parameter, of which mongod has hundreds. */
const NAMES = [...Object.keys(DEFAULT_SETTINGS).map((name) => `settings.${name}`), 'parameters.ttlMonitorSleepSecs'];
