import type { WorkerProcess } from '../../../../../electron/core/engines/worker/client.ts';
import type { ToWorker } from '../../../../../electron/core/engines/worker/protocol.ts';

/** A worker process in memory: a test sees what the host sends, and sends what a worker would. */
export class FakeProcess implements WorkerProcess {
  readonly pid: number;
  readonly sent: ToWorker[] = [];
  stderr = '';
  isKilled = false;
  #onMessage: (message: unknown) => void = () => {};
  #onExit: (reason: string) => void = () => {};

  constructor(pid: number) {
    this.pid = pid;
  }

  send(message: ToWorker): void {
    this.sent.push(message);
    if (message.type === 'stop') this.exit('exit code 0');
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#onMessage = listener;
  }

  onExit(listener: (reason: string) => void): void {
    this.#onExit = listener;
  }

  stderrTail(): string {
    return this.stderr;
  }

  kill(): void {
    this.isKilled = true;
    this.exit('SIGKILL');
  }

  /** Sends anything to the host. */
  emit(message: unknown): void {
    this.#onMessage(message);
  }

  exit(reason: string): void {
    this.#onExit(reason);
  }

  /** The ids of the tasks that the host has started. */
  get started(): number[] {
    return this.sent.flatMap((message) => (message.type === 'run' ? [message.id] : []));
  }

  done(id: number, result: unknown): void {
    this.emit({ type: 'done', id, result });
  }
}
