import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';

/** Something to look at; only the one that is shown is rendered. */
export interface Tab {
  readonly name: string;
  readonly panel: ReactNode;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** One that somebody is led to; whoever is there may go to another. */
  readonly wanted?: string | undefined;
}

/** One of several panels in the same place; arrows go from tab to tab. */
export function Tabs({ label, tabs, wanted }: Props): ReactNode {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(tabs[0]?.name);
  useEffect(() => {
    if (wanted !== undefined) setChosen(wanted);
  }, [wanted]);
  const shown = tabs.find(({ name }) => name === chosen) ?? tabs[0];
  if (!shown) return null;
  const turn = ({ key }: KeyboardEvent) => {
    const by = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    const index = (tabs.indexOf(shown) + by + tabs.length) % tabs.length;
    setChosen(tabs[index]!.name);
    (list.current?.children[index] as HTMLElement | undefined)?.focus();
  };
  return (
    <>
      <div ref={list} role="tablist" aria-label={label} className="tabs" onKeyDown={turn}>
        {tabs.map(({ name }) => (
          <button
            key={name}
            id={`${id}${name}`}
            type="button"
            role="tab"
            aria-selected={name === shown.name}
            aria-controls={`${id}panel`}
            tabIndex={name === shown.name ? 0 : -1}
            onClick={() => setChosen(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id={`${id}panel`} role="tabpanel" aria-labelledby={`${id}${shown.name}`} className="panel">
        {shown.panel}
      </div>
    </>
  );
}
