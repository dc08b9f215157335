/** Where the server answers. It is known only once the server listens, so read it at each use. */
export class ServerAddress {
  #url = '';

  /** Without a trailing slash; empty before the server listens. */
  readonly url = (): string => this.#url;

  set(url: string): void {
    this.#url = url;
  }
}
