import { type ReactNode, useMemo, useState } from 'react';
import { Fold } from '../page/controls/Fold.tsx';
import { allScenarios, type Shelved, seenScenarios } from './shelf.ts';
import { ALL_TAGS, matches, tagsOf } from './tags.ts';

interface Props {
  readonly onOpen: (text: string) => void;
}

/** All scenarios by their folders, or those that are looked for; they are fetched when somebody wants to see them. */
export function StartShelf({ onOpen }: Props): ReactNode {
  const [shelf, setShelf] = useState(seenScenarios);
  const [told, setTold] = useState('');
  const [words, setWords] = useState('');
  const [tag, setTag] = useState<string>();
  const show = () => {
    if (!shelf)
      allScenarios().then(setShelf, (error: unknown) =>
        setTold(error instanceof Error ? error.message : String(error)),
      );
  };
  return (
    <>
      <div className="search">
        <input
          type="search"
          aria-label="Search the scenarios"
          placeholder="Search: catch-up, w: 1, TTL after a failover …"
          value={words}
          onFocus={show}
          onChange={({ target }) => {
            show();
            setWords(target.value);
          }}
        />
        {!shelf && (
          <button type="button" onClick={show}>
            show them, by folder
          </button>
        )}
        <output className="verdict failed">{told}</output>
      </div>
      {shelf && <Tags chosen={tag} onChoose={setTag} />}
      {shelf &&
        (words.trim() !== '' || tag !== undefined ? (
          <Found all={shelf} words={words} tag={tag} onOpen={onOpen} />
        ) : (
          <Shelf all={shelf} onOpen={({ text }) => onOpen(text)} />
        ))}
    </>
  );
}

interface TagsProps {
  readonly chosen: string | undefined;
  readonly onChoose: (tag: string | undefined) => void;
}

function Tags({ chosen, onChoose }: TagsProps): ReactNode {
  return (
    <fieldset className="tags" aria-label="Subjects">
      {ALL_TAGS.map((tag) => (
        <button
          key={tag}
          type="button"
          aria-pressed={tag === chosen}
          onClick={() => onChoose(tag === chosen ? undefined : tag)}
        >
          {tag}
        </button>
      ))}
    </fieldset>
  );
}

interface FoundProps extends Props {
  readonly all: readonly Shelved[];
  readonly words: string;
  readonly tag: string | undefined;
}

function Found({ all, words, tag, onOpen }: FoundProps): ReactNode {
  const found = useMemo(
    () =>
      all.filter(
        ({ path, name, text }) => (tag === undefined || tagsOf(text).includes(tag)) && matches(words, path, name, text),
      ),
    [all, words, tag],
  );
  return (
    <>
      <p className="hint" role="status">
        {found.length === 0 ? 'None has all of these words.' : `${found.length} of ${all.length}`}
      </p>
      <ul className="shelf">
        {found.map(({ path, name, text }) => (
          <li key={path}>
            <button type="button" title={path} onClick={() => onOpen(text)}>
              {name} <span className="path">{path.replace(/\/.*/s, '')}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
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
    <Fold
      key={folder}
      className="folder"
      title={`${folder || 'in no folder'} (${scenarios.length})`}
      isOpen={openFolders.has(folder)}
      onTurn={(isOpen) => openFolders[isOpen ? 'add' : 'delete'](folder)}
    >
      <ul className="shelf">
        {scenarios.map((each) => (
          <li key={each.path}>
            <button type="button" title={each.path} onClick={() => onOpen(each)}>
              {each.name}
            </button>
          </li>
        ))}
      </ul>
    </Fold>
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
