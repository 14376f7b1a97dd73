import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import first from '../../../scenarios/election/failover-on-kill.yaml?raw';
import { App } from './page/App.tsx';
import './page/style.css';
import { WorkerPlayer } from './run/inWorker.ts';

const player = new WorkerPlayer();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App player={player} text={first} />
  </StrictMode>,
);
