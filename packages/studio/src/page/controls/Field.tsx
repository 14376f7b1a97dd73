import { type ReactNode, useId } from 'react';
import { Suggesting } from './Suggesting.tsx';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly isWide?: boolean;
  /** What may well be meant; anything else may be typed. */
  readonly suggested?: readonly string[];
  readonly onType: (value: string) => void;
}

/** Something that one types. */
export function Field({ label, value, isWide = false, suggested, onType }: Props): ReactNode {
  const id = useId();
  const input = { id, className: isWide ? 'input wide' : 'input', value };
  return (
    <span className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      {suggested ? (
        <Suggesting {...{ ...input, label, suggested, onType }} />
      ) : (
        <input {...input} onChange={({ target }) => onType(target.value)} />
      )}
    </span>
  );
}
