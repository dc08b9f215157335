import type { Operation } from './document.ts';
import type { Plan } from './plan.ts';
import type { Answer } from './send.ts';

const SHOWN = 40;

/** Counts the answers of a run by operation. */
export class Tally {
  readonly #operations: readonly Operation[];
  readonly #statuses = new Map<string, Map<number, number>>();
  readonly #failures = new Map<string, { text: string; count: number }>();

  constructor(operations: readonly Operation[]) {
    this.#operations = operations;
  }

  count({ operation, method }: Plan, { status }: Answer): void {
    const name =
      operation === undefined
        ? '(not in the document)'
        : method === 'HEAD'
          ? '(HEAD)'
          : operation.operationId;
    const seen = this.#statuses.get(name) ?? new Map<number, number>();
    seen.set(status, (seen.get(status) ?? 0) + 1);
    this.#statuses.set(name, seen);
  }

  /** Counts a problem; true for the first request with this kind of it. */
  fail({ operation }: Plan, problem: string): { name: string; isNew: boolean } {
    const name = `${operation?.operationId ?? 'outside'}: ${problem}`.slice(0, 160);
    const known = this.#failures.get(name);
    if (known !== undefined) known.count++;
    else this.#failures.set(name, { text: name, count: 1 });
    return { name, isNew: known === undefined };
  }

  /** Keeps the simplest request with a problem. */
  show(name: string, request: string): void {
    const known = this.#failures.get(name);
    if (known !== undefined) known.text = `${name}\n${request}`;
  }

  failures(): string {
    return [...this.#failures.values()]
      .slice(0, SHOWN)
      .map(({ text, count }) => `${count} × ${text}`)
      .join('\n\n');
  }

  hasSucceeded(operationId: string): boolean {
    return [...(this.#statuses.get(operationId)?.keys() ?? [])].some((status) => status < 300);
  }

  neverSucceeded(): string[] {
    return this.#operations.map(({ operationId }) => operationId).filter((id) => !this.hasSucceeded(id));
  }

  table(): string {
    const rows = [...this.#statuses].toSorted(([a], [b]) => a.localeCompare(b));
    return rows
      .map(([name, seen]) => {
        const total = [...seen.values()].reduce((sum, count) => sum + count, 0);
        const statuses = [...seen]
          .toSorted(([a], [b]) => a - b)
          .map(([status, count]) => `${status} ${count}×`);
        return `${name.padEnd(24)} ${String(total).padStart(5)}  ${statuses.join('  ')}`;
      })
      .join('\n');
  }
}
