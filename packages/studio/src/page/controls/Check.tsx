import CheckMark from 'lucide-react/icons/check';
import * as Checkbox from 'radix-ui/checkbox';
import { type ReactNode, useId, useMemo } from 'react';
import { useQuiet } from './useQuiet.ts';

interface Props {
  readonly label: string;
  readonly isOn: boolean;
  readonly onTurn: (isOn: boolean) => void;
}

/** Something that is so or not. */
export function Check(given: Props): ReactNode {
  const id = useId();
  const quiet = useQuiet(given);
  return useMemo(() => check(id, quiet), [id, quiet]);
}

function check(id: string, { label, isOn, onTurn }: Props): ReactNode {
  return (
    <span className="check">
      <Checkbox.Root id={id} className="check-box" checked={isOn} onCheckedChange={(next) => onTurn(next === true)}>
        <Checkbox.Indicator>
          <CheckMark size={12} strokeWidth={3} aria-hidden="true" />
        </Checkbox.Indicator>
      </Checkbox.Root>
      <label htmlFor={id}>{label}</label>
    </span>
  );
}
