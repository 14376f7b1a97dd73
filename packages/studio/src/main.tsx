import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isServedByDoor } from './core/door/door.ts';
import { fromFragment } from './core/edit/fragment.ts';
import { isServedLive, LiveSet } from './core/live/liveSet.ts';
import { WorkerPlayer } from './core/run/inWorker.ts';
import { programFor } from './core/run/program.ts';
import { LaterApp, loadApp } from './page/LaterApp.tsx';
import { showScheme } from './page/useScheme.ts';
import { LaterDoor } from './start/LaterDoor.tsx';
import { Start } from './start/Start.tsx';
import './page/tokens.css';
import './page/fonts.css';
import './page/page.css';
import './page/embedded.css';
import './page/controls/controls.css';
import './set/set.css';
import './page/time/caption.css';
import './page/time/time.css';
import './page/oplog/oplog.css';
import './page/text/text.css';
import './page/inspector/inspector.css';
import './page/data/data.css';
import './page/why/why.css';
import './page/lesson/story.css';
import './page/lesson/lesson.css';
import './page/challenge/challenge.css';
import './page/compare/compare.css';
import './start/start.css';
import './start/hero/hero.css';

show();

function show(): void {
  showScheme();
  // A page that `replsim run --html` wrote brings a link, which is where it begins.
  const brought = document.getElementById('link')?.textContent;
  if (brought && location.hash === '') history.replaceState(undefined, '', `#${brought}`);

  createRoot(document.getElementById('root')!).render(<StrictMode>{page()}</StrictMode>);
  whenIdle(prefetch);
}

/** The simulator and the rest of the page are on their way before somebody needs them; whether they came is said to whoever does. */
function prefetch(): void {
  const linked = fromFragment(location.hash.slice(1));
  programFor(linked?.text ?? '').catch(() => {});
  loadApp().catch(() => {});
}

/** After the page has been painted. Not every browser says when it is idle. */
function whenIdle(work: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: 1000 });
  else setTimeout(work, 200);
}

function page(): ReactNode {
  if (isServedLive()) {
    const live = new LiveSet();
    return <LaterApp player={live} text="" live={live} />;
  }
  const player = new WorkerPlayer();
  return isServedByDoor() ? <LaterDoor player={player} /> : <Start player={player} />;
}
