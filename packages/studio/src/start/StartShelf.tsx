import { type ReactNode, useState } from 'react';
import { allScenarios, seenScenarios } from './shelf.ts';

interface Props {
  readonly onOpen: (text: string) => void;
}

/** All scenarios by their folders; they are fetched when somebody wants to see them. */
export function StartShelf({ onOpen }: Props): ReactNode {
  const [shelf, setShelf] = useState(seenScenarios);
  const [told, setTold] = useState('');
  const show = () =>
    allScenarios().then(setShelf, (error: unknown) => setTold(error instanceof Error ? error.message : String(error)));
  if (!shelf)
    return (
      <div className="doings">
        <button type="button" onClick={() => void show()}>
          show them, by folder
        </button>
        <output className="verdict failed">{told}</output>
      </div>
    );
  return <Shelf all={shelf} onOpen={({ text }) => onOpen(text)} />;
}

/** What a list needs of a scenario. */
export interface ShelvedFile {
  readonly path: string;
  readonly name: string;
}

interface ShelfProps<T> {
  readonly all: readonly T[];
  readonly onOpen: (chosen: T) => void;
}

/** Folders that somebody has opened, and finds open on coming back. */
const openFolders = new Set(['']);

/** Scenarios by their folders. Those that lie in none stand there at once. */
export function Shelf<T extends ShelvedFile>({ all, onOpen }: ShelfProps<T>): ReactNode {
  return [...byFolder(all)].map(([folder, scenarios]) => (
    <details
      key={folder}
      open={openFolders.has(folder)}
      onToggle={({ currentTarget }) => openFolders[currentTarget.open ? 'add' : 'delete'](folder)}
    >
      <summary>{`${folder || 'in no folder'} (${scenarios.length})`}</summary>
      <ul className="shelf">
        {scenarios.map((each) => (
          <li key={each.path}>
            <button type="button" title={each.path} onClick={() => onOpen(each)}>
              {each.name}
            </button>
          </li>
        ))}
      </ul>
    </details>
  ));
}

function byFolder<T extends ShelvedFile>(all: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const folders = new Map<string, T[]>();
  for (const each of all) {
    const folder = each.path.includes('/') ? each.path.replace(/\/.*/s, '') : '';
    folders.set(folder, [...(folders.get(folder) ?? []), each]);
  }
  return folders;
}
