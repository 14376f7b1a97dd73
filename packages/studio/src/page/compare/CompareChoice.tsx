import { DEFAULT_SETTINGS, VERSIONS } from '@replsim/protocol';
import type { ReactNode } from 'react';
import type { Difference } from '../../core/edit/differing.ts';

interface Props {
  readonly difference: Difference;
  /** The second scenario as it is now. */
  readonly text: string;
  readonly onChoose: (difference: Difference) => void;
}

/** In what the second run is to differ. */
export function CompareChoice({ difference, text, onChoose }: Props): ReactNode {
  const choose = (kind: Difference['kind']) => onChoose(kind === 'text' ? { kind, text } : BEGINNINGS[kind]);
  return (
    <p className="choice">
      <label>
        the same scenario with{' '}
        <select value={difference.kind} onChange={({ target }) => choose(target.value as Difference['kind'])}>
          <option value="seed">another seed</option>
          <option value="setting">another setting</option>
          <option value="version">another version</option>
          <option value="writeConcern">another write concern</option>
          <option value="text">what I write in the other text</option>
        </select>
      </label>{' '}
      <Value difference={difference} onChoose={onChoose} />
    </p>
  );
}

/** What is offered first of each kind. */
const BEGINNINGS: Readonly<Record<Exclude<Difference['kind'], 'text'>, Difference>> = {
  seed: { kind: 'seed', seed: 2 },
  setting: { kind: 'setting', name: 'settings.electionTimeoutMillis', value: '5000' },
  version: { kind: 'version', version: '7.0' },
  writeConcern: { kind: 'writeConcern', w: '1' },
};

function Value({ difference, onChoose }: Omit<Props, 'text'>): ReactNode {
  switch (difference.kind) {
    case 'seed':
      return (
        <label>
          second seed{' '}
          <input
            type="number"
            min={0}
            value={Number.isNaN(difference.seed) ? '' : difference.seed}
            onChange={({ target }) => onChoose({ kind: 'seed', seed: target.valueAsNumber })}
          />
        </label>
      );
    case 'setting':
      return <SettingValue difference={difference} onChoose={onChoose} />;
    case 'version':
      return (
        <label>
          second version{' '}
          <select
            value={difference.version}
            onChange={({ target }) => onChoose({ kind: 'version', version: target.value })}
          >
            {Object.keys(VERSIONS).map((version) => (
              <option key={version}>{version}</option>
            ))}
          </select>
        </label>
      );
    case 'writeConcern':
      return (
        <label>
          w of all writes{' '}
          <input
            size={9}
            value={difference.w}
            list="compare-concerns"
            onChange={({ target }) => onChoose({ kind: 'writeConcern', w: target.value })}
          />
          <datalist id="compare-concerns">
            {['1', '2', '3', 'majority'].map((w) => (
              <option key={w} value={w} />
            ))}
          </datalist>
        </label>
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
      <label>
        setting{' '}
        <input
          size={32}
          value={difference.name}
          list="compare-settings"
          onChange={({ target }) => onChoose({ ...difference, name: target.value })}
        />
        <datalist id="compare-settings">
          {NAMES.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>{' '}
      <label>
        value{' '}
        <input
          size={9}
          value={difference.value}
          onChange={({ target }) => onChoose({ ...difference, value: target.value })}
        />
      </label>
    </>
  );
}

/** Those that the language knows, and a parameter, of which mongod has hundreds. */
const NAMES = [...Object.keys(DEFAULT_SETTINGS).map((name) => `settings.${name}`), 'parameters.ttlMonitorSleepSecs'];
