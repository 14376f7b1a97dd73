import CheckMark from 'lucide-react/icons/check';
import * as Checkbox from 'radix-ui/checkbox';
import { type ReactNode, useId } from 'react';

interface Props {
  readonly label: string;
  readonly isOn: boolean;
  readonly onTurn: (isOn: boolean) => void;
}

/** Something that is so or not. */
export function Check({ label, isOn, onTurn }: Props): ReactNode {
  const id = useId();
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
