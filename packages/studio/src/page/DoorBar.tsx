import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { isSame, type Kept, type Listed, list, onChanged, read, save } from '../door/door.ts';
import { heardPlayer } from '../door/heardPlayer.ts';
import { fromFragment, ofText, type Shared, toFragment } from '../edit/fragment.ts';
import type { Player } from '../run/player.ts';
import { lessonOfText } from '../start/lessonList.ts';
import { App } from './App.tsx';
import { Start } from './Start.tsx';

/** What the page below is to begin with: a file's text, or the page where one chooses. Another turn is another page. */
interface Begun {
  readonly turn: number;
  readonly text: string | undefined;
}

/** The page where `replsim studio` serves it: with the files to choose from, and what is clicked saved when somebody says so. */
export function DoorBar({ player }: { readonly player: Player }): ReactNode {
  const [listed, setListed] = useState<readonly Listed[]>([]);
  /** The file that is open, if one is. */
  const [kept, setKept] = useState<Kept>();
  /** What lies on disk, where it is neither what was opened nor what the page has. */
  const [other, setOther] = useState<Kept>();
  const [begun, setBegun] = useState<Begun>();
  const [text, setText] = useState<string>();
  const [isAsking, setIsAsking] = useState(false);
  const [told, setTold] = useState('');
  const heard = useMemo(() => heardPlayer(player, setText), [player]);
  const failed = useCallback((error: unknown) => setTold(error instanceof Error ? error.message : String(error)), []);

  const begin = useCallback((file: Kept | undefined) => {
    setKept(file);
    // What the page had is nothing to save there.
    setText(undefined);
    setOther(undefined);
    setIsAsking(false);
    setTold('');
    setBegun((last) => ({ turn: (last?.turn ?? 0) + 1, text: file?.text }));
  }, []);
  const open = useCallback(
    (file: Kept, fragment: string) => {
      history.replaceState(undefined, '', `${pathTo(file.path)}${fragment}`);
      begin(file);
    },
    [begin],
  );
  /** Opens what the address says: a file, or where one begins, which reads a link by itself. */
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
  }, [begin, failed, open]);
  useEffect(() => void follow(), [follow]);
  useEffect(() => {
    const gone = () => {
      // Where one begins goes back and forth by itself.
      if (new URLSearchParams(location.search).has('path') || kept) void follow();
    };
    addEventListener('popstate', gone);
    return () => removeEventListener('popstate', gone);
  }, [follow, kept]);

  /** What somebody else has saved is shown at the same instant, unless it would take away what was clicked here. */
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

  const overwrite = async (file: Kept, now: string) => {
    setIsAsking(false);
    try {
      setKept(await save(file, now));
      setTold(`saved to ${file.path}`);
    } catch (error) {
      failed(error);
    }
  };
  const path = kept?.path;
  const isEdited = kept !== undefined && text !== undefined && !isSame(text, kept.text);
  const mayLeave = () =>
    !isEdited || confirm(`What was changed here in ${path} is not saved, and will be gone. Go on?`);
  const choose = (chosen: string) => {
    if (!mayLeave()) return;
    read(chosen).then((file) => {
      history.pushState(undefined, '', pathTo(file.path));
      open(file, lessonOfText(file.text) ? `#${toFragment({ ...LED, text: file.text })}` : '');
    }, failed);
  };
  const back = (
    <button
      type="button"
      className="plain"
      onClick={() => {
        if (!mayLeave()) return;
        history.pushState(undefined, '', location.pathname);
        begin(undefined);
      }}
    >
      all lessons
    </button>
  );
  return (
    <>
      {begun?.text !== undefined && <App key={begun.turn} player={heard} text={begun.text} wayOut={{ back }} />}
      {begun && begun.text === undefined && <Start key={begun.turn} player={heard} files={listed} onFile={choose} />}
      <nav aria-label="Files" style={{ position: 'sticky', bottom: 0, display: 'flex', flexWrap: 'wrap', ...BAR }}>
        {listed.length > 0 && (
          <select
            aria-label="File"
            // As wide as its longest option it would push the page over the edge.
            style={{ maxWidth: '100%' }}
            value={path ?? ''}
            onChange={({ target }) => choose(target.value)}
          >
            {path === undefined && <option value="">no file is open</option>}
            {listed.map((each) => (
              <option key={each.path} value={each.path}>
                {each.path} – {each.name}
              </option>
            ))}
          </select>
        )}
        {isEdited && !isAsking && !other && (
          <button type="button" onClick={() => setIsAsking(true)}>
            save to {path}
          </button>
        )}
        {isEdited && isAsking && !other && (
          <>
            <button type="button" onClick={() => overwrite(kept, text)}>
              yes, overwrite {path}
            </button>
            <button type="button" onClick={() => setIsAsking(false)}>
              no
            </button>
          </>
        )}
        {other && (
          <>
            <strong>{path} has changed on disk, and here too.</strong>
            <button type="button" onClick={() => open(other, movedTo(other.text))}>
              take the one on disk
            </button>
            <button
              type="button"
              onClick={() => {
                setKept(other);
                setOther(undefined);
              }}
            >
              keep the one here
            </button>
          </>
        )}
        <output>{told}</output>
      </nav>
    </>
  );
}

const BAR = { gap: 10, padding: '6px 10px', background: 'var(--paper)', borderTop: '1px solid var(--edge)' };

const LED: Pick<Shared, 'reading' | 'atMicros'> = { reading: 'lesson', atMicros: 0 };

const pathTo = (path: string) => `?path=${encodeURIComponent(path)}`;
const shownNow = () => fromFragment(location.hash.slice(1));

/** The instant, seed and member that are shown now, of another text. */
function movedTo(text: string): string {
  const shown = shownNow();
  return shown === undefined ? '' : `#${toFragment(ofText(shown, text))}`;
}
