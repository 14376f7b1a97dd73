import { type ReactNode, useId } from 'react';

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
  return (
    <label className="field">
      <span className="label">{label}</span>
      <input
        className={isWide ? 'input wide' : 'input'}
        value={value}
        {...(suggested && { list: id })}
        onChange={({ target }) => onType(target.value)}
      />
      {suggested && (
        <datalist id={id}>
          {suggested.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </label>
  );
}
