import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { isSame, type Kept, type Listed, list, onChanged, read, save } from '../core/door/door.ts';
import { heardPlayer } from '../core/door/heardPlayer.ts';
import { fromFragment, type Shared, toFragment } from '../core/edit/fragment.ts';
import { ofText } from '../core/edit/ofText.ts';
import type { Player } from '../core/run/player.ts';
import { lessonOfText } from './lessonList.ts';

/** What the page below is to begin with: a file's text, or the page where one chooses. Another turn is another page. */
interface Begun {
  readonly turn: number;
  readonly text: string | undefined;
}

/** The files on disk, the one that is open, and what was made of it here. */
export interface Door {
  /** Plays as the given one does, and hears what text is played. */
  readonly player: Player;
  readonly listed: readonly Listed[];
  readonly begun: Begun | undefined;
  /** The path of the file that is open, if one is. */
  readonly path: string | undefined;
  /** Whether the page has another text than the file that is open. */
  readonly isEdited: boolean;
  /** What lies on disk, where it is neither what was opened nor what the page has. */
  readonly other: Kept | undefined;
  /** What came of the last save, or of whatever went wrong. */
  readonly told: string;
  readonly choose: (path: string) => void;
  /** To where one begins. */
  readonly leave: () => void;
  /** The text of the page takes the file's place. */
  readonly overwrite: () => Promise<void>;
  readonly takeOther: () => void;
  /** Leaves what lies on disk where it is, until somebody saves. */
  readonly keepOwn: () => void;
}

export function useDoor(given: Player): Door {
  const [text, setText] = useState<string>();
  const [listed, setListed] = useState<readonly Listed[]>([]);
  const [told, setTold] = useState('');
  const player = useMemo(() => heardPlayer(given, setText), [given]);
  const failed = useCallback((error: unknown) => setTold(error instanceof Error ? error.message : String(error)), []);
  const opened = useOpened(setText, setTold);
  const { kept, setKept, other, begun, begin, open } = opened;
  useAddress(opened, setListed, failed);
  useDisk({ ...opened, text, listed, setListed, setTold, failed });

  const path = kept?.path;
  const isEdited = kept !== undefined && text !== undefined && !isSame(text, kept.text);
  const mayLeave = () => !isEdited || confirm(`Your changes to ${path} are not saved and will be lost. Continue?`);
  return {
    ...{ player, listed, begun, path, isEdited, other, told },
    choose: (chosen) => {
      if (!mayLeave()) return;
      read(chosen).then((file) => {
        history.pushState(undefined, '', pathTo(file.path));
        open(file, lessonOfText(file.text) ? `#${toFragment({ ...LED, text: file.text })}` : '');
      }, failed);
    },
    leave: () => {
      if (!mayLeave()) return;
      history.pushState(undefined, '', location.pathname);
      begin(undefined);
    },
    overwrite: async () => {
      if (!kept || text === undefined) return;
      try {
        setKept(await save(kept, text));
        setTold(`saved to ${kept.path}`);
      } catch (error) {
        failed(error);
      }
    },
    takeOther: () => other && open(other, movedTo(other.text)),
    keepOwn: () => {
      setKept(other);
      opened.setOther(undefined);
    },
  };
}

/** The file that is open. */
interface Opened {
  readonly kept: Kept | undefined;
  readonly setKept: (kept: Kept | undefined) => void;
  readonly other: Kept | undefined;
  readonly setOther: (other: Kept | undefined) => void;
  readonly begun: Begun | undefined;
  /** Shows a file as it is on disk; undefined: where one begins. */
  readonly begin: (file: Kept | undefined) => void;
  /** The same, and says so in the address. */
  readonly open: (file: Kept, fragment: string) => void;
}

function useOpened(setText: (text: string | undefined) => void, setTold: (told: string) => void): Opened {
  const [kept, setKept] = useState<Kept>();
  const [other, setOther] = useState<Kept>();
  const [begun, setBegun] = useState<Begun>();
  const begin = useCallback(
    (file: Kept | undefined) => {
      setKept(file);
      // What the page had is nothing to save there.
      setText(undefined);
      setOther(undefined);
      setTold('');
      setBegun((last) => ({ turn: (last?.turn ?? 0) + 1, text: file?.text }));
    },
    [setText, setTold],
  );
  const open = useCallback(
    (file: Kept, fragment: string) => {
      history.replaceState(undefined, '', `${pathTo(file.path)}${fragment}`);
      begin(file);
    },
    [begin],
  );
  return { kept, setKept, other, setOther, begun, begin, open };
}

type Failed = (error: unknown) => void;

/** Opens what the address says: a file, or where one begins, which reads a link by itself. */
function useAddress(
  { kept, begin, open }: Opened,
  setListed: (listed: readonly Listed[]) => void,
  failed: Failed,
): void {
  const follow = useCallback(async () => {
    try {
      const files = await list();
      setListed(files);
      const asked = new URLSearchParams(location.search).get('path');
      const [only] = files.length === 1 && location.hash.length <= 1 ? files : [];
      const chosen = files.find(({ path }) => path === asked) ?? only;
      if (chosen) open(await read(chosen.path), location.hash);
      else begin(undefined);
    } catch (error) {
      begin(undefined);
      failed(error);
    }
  }, [begin, failed, open, setListed]);
  useEffect(() => void follow(), [follow]);
  useEffect(() => {
    const gone = () => {
      // Where one begins goes back and forth by itself.
      if (new URLSearchParams(location.search).has('path') || kept) void follow();
    };
    addEventListener('popstate', gone);
    return () => removeEventListener('popstate', gone);
  }, [follow, kept]);
}

interface OnDisk extends Opened {
  readonly text: string | undefined;
  readonly listed: readonly Listed[];
  readonly setListed: (listed: readonly Listed[]) => void;
  readonly setTold: (told: string) => void;
  readonly failed: Failed;
}

/** What somebody else has saved is shown at the same instant, unless it would take away what was clicked here. */
function useDisk({ kept, setKept, setOther, open, text, listed, setListed, setTold, failed }: OnDisk): void {
  const look = async (changed = kept?.path) => {
    if (changed === undefined) return;
    if (!listed.some(({ path }) => path === changed)) setListed(await list());
    if (kept?.path !== changed) return;
    const now = await read(changed);
    const here = text ?? shownNow()?.text ?? kept.text;
    if (now.etag === kept.etag) setOther(undefined);
    else if (isSame(here, kept.text)) open(now, movedTo(now.text));
    else if (isSame(here, now.text)) setKept(now);
    else {
      setOther(now);
      setTold('');
    }
  };
  const latest = useRef(look);
  latest.current = look;
  useEffect(() => onChanged((changed) => void latest.current(changed).catch(failed)), [failed]);
}

const LED: Pick<Shared, 'reading' | 'atMicros'> = { reading: 'lesson', atMicros: 0 };

const pathTo = (path: string) => `?path=${encodeURIComponent(path)}`;
const shownNow = () => fromFragment(location.hash.slice(1));

/** The instant, seed and member that are shown now, of another text. */
function movedTo(text: string): string {
  const shown = shownNow();
  return shown === undefined ? '' : `#${toFragment(ofText(shown, text))}`;
}
