import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isServedByDoor } from './door/door.ts';
import { isServedLive, LiveSet } from './live/liveSet.ts';
import { App } from './page/App.tsx';
import { DoorBar } from './page/DoorBar.tsx';
import { Start } from './page/Start.tsx';
import './page/style.css';
import './page/look.css';
import './page/lesson.css';
import './page/compare.css';
import { WorkerPlayer } from './run/inWorker.ts';
import { isInWorker } from './run/program.ts';
import { workForPage } from './run/worker.ts';

if (isInWorker) workForPage();
else show();

function show(): void {
  // A page that `replsim run --html` wrote brings a link, which is where it begins.
  const brought = document.getElementById('link')?.textContent;
  if (brought && location.hash === '') history.replaceState(undefined, '', `#${brought}`);

  createRoot(document.getElementById('root')!).render(<StrictMode>{page()}</StrictMode>);
}

function page(): ReactNode {
  if (isServedLive()) {
    const live = new LiveSet();
    return <App player={live} text="" live={live} />;
  }
  const player = new WorkerPlayer();
  return isServedByDoor() ? <DoorBar player={player} /> : <Start player={player} />;
}
