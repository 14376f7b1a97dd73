import Check from 'lucide-react/icons/check';
import ChevronDown from 'lucide-react/icons/chevron-down';
import * as Select from 'radix-ui/select';
import { type ReactNode, useId, useMemo } from 'react';
import { useQuiet } from './useQuiet.ts';

export interface Option {
  readonly value: string;
  readonly text: string;
}

interface Props {
  readonly label: string;
  /** Whether the label is only heard. */
  readonly isBare?: boolean;
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChoose: (value: string) => void;
}

/** The library's own word for "nothing is chosen" is the empty one. */
const NOTHING = ' ';

/** One of several. */
export function Choice(given: Props): ReactNode {
  const id = useId();
  const quiet = useQuiet(given);
  return useMemo(() => choice(id, quiet), [id, quiet]);
}

function choice(id: string, { label, isBare = false, value, options, onChoose }: Props): ReactNode {
  return (
    <span className="choice">
      <span id={id} className={isBare ? 'heard' : 'label'}>
        {label}
      </span>
      <Select.Root value={value || NOTHING} onValueChange={(next) => onChoose(next === NOTHING ? '' : next)}>
        <Select.Trigger className="button select" aria-labelledby={id}>
          <Select.Value />
          <Select.Icon asChild>
            <ChevronDown size={14} aria-hidden="true" />
          </Select.Icon>
        </Select.Trigger>
        <Select.Portal>
          <Select.Content className="menu" position="popper" sideOffset={4} collisionPadding={8}>
            <Select.Viewport>
              {options.map((option) => (
                <Select.Item key={option.value} className="menu-item" value={option.value || NOTHING}>
                  <Select.ItemText>{option.text}</Select.ItemText>
                  <Select.ItemIndicator className="menu-mark">
                    <Check size={14} aria-hidden="true" />
                  </Select.ItemIndicator>
                </Select.Item>
              ))}
            </Select.Viewport>
          </Select.Content>
        </Select.Portal>
      </Select.Root>
    </span>
  );
}
