import * as Popover from 'radix-ui/popover';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { ledTo, suggestionsFor } from './suggestions.ts';

interface Props {
  readonly id: string;
  readonly className: string;
  readonly label: string;
  readonly value: string;
  readonly suggested: readonly string[];
  readonly onType: (value: string) => void;
}

/** A field with a list below it of what may be meant: the focus stays in the field, arrows go through the list, Enter takes one. */
export function Suggesting({ id, className, label, value, suggested, onType }: Props): ReactNode {
  const { list, at, turn, take, press } = useSuggestions(value, suggested, onType);
  const isShown = list.length > 0;
  return (
    <Popover.Root open={isShown} onOpenChange={turn}>
      <Popover.Anchor asChild>
        <input
          {...{ id, className, value }}
          role="combobox"
          autoComplete="off"
          aria-autocomplete="list"
          aria-expanded={isShown}
          aria-controls={isShown ? `${id}-list` : undefined}
          aria-activedescendant={list[at] === undefined ? undefined : `${id}-${at}`}
          onChange={({ target }) => {
            onType(target.value);
            turn(true);
          }}
          onClick={() => turn(true)}
          onBlur={() => turn(false)}
          onKeyDown={press}
        />
      </Popover.Anchor>
      <Popover.Portal>
        <Popover.Content
          id={`${id}-list`}
          role="listbox"
          aria-label={`Suggestions: ${label}`}
          className="menu"
          align="start"
          onOpenAutoFocus={leave}
          onCloseAutoFocus={leave}
          onInteractOutside={leave}
        >
          {list.map((each, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <div
              key={each}
              id={`${id}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === at}
              data-highlighted={i === at ? '' : undefined}
              className="menu-item"
              onPointerDown={leave}
              onClick={() => take(each)}
            >
              {each}
            </div>
          ))}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** The focus stays where it is. */
const leave = (event: { preventDefault(): void }) => event.preventDefault();

const NONE = -1;

/** What is in the list while it is open, and what keys do. */
function useSuggestions(value: string, suggested: readonly string[], onType: Props['onType']) {
  const [isOpen, setOpen] = useState(false);
  const [at, point] = useState(NONE);
  const fitting = suggestionsFor(value, suggested);
  const turn = (opens: boolean) => {
    setOpen(opens);
    point(NONE);
  };
  const take = (each: string) => {
    onType(each);
    turn(false);
  };
  const press = (event: KeyboardEvent) => {
    const next = ledTo(event.key, isOpen ? at : NONE, fitting.length);
    const chosen = isOpen ? fitting[at] : undefined;
    if (next !== undefined) {
      setOpen(true);
      point(next);
    } else if (event.key === 'Enter' && chosen !== undefined) take(chosen);
    else if (event.key === 'Escape' && isOpen) turn(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { list: isOpen ? fitting : [], at, turn, take, press };
}
