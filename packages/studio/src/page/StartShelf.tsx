import { type ReactNode, useState } from 'react';
import { allScenarios, type Shelved } from '../start/shelf.ts';

interface Props {
  readonly onOpen: (text: string) => void;
}

/** All scenarios by their folders; they are fetched when somebody wants to see them. */
export function StartShelf({ onOpen }: Props): ReactNode {
  const [shelf, setShelf] = useState<ReadonlyMap<string, readonly Shelved[]>>();
  const [told, setTold] = useState('');
  const show = () =>
    allScenarios().then(
      (all) => setShelf(byFolder(all)),
      (error: unknown) => setTold(error instanceof Error ? error.message : String(error)),
    );
  if (!shelf)
    return (
      <div className="doings">
        <button type="button" onClick={() => void show()}>
          show them, by folder
        </button>
        <output className="verdict failed">{told}</output>
      </div>
    );
  return [...shelf].map(([folder, scenarios]) => (
    <details key={folder}>
      <summary>{`${folder} (${scenarios.length})`}</summary>
      <ul className="shelf">
        {scenarios.map(({ path, name, text }) => (
          <li key={path}>
            <button type="button" title={path} onClick={() => onOpen(text)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
    </details>
  ));
}

function byFolder(all: readonly Shelved[]): ReadonlyMap<string, readonly Shelved[]> {
  const folders = new Map<string, Shelved[]>();
  for (const each of all) {
    const [folder = ''] = each.path.split('/');
    folders.set(folder, [...(folders.get(folder) ?? []), each]);
  }
  return folders;
}
