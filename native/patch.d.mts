/** Applies all patches of the folder `patches` to copies of the files in `sources`; `target` gets the changed files. */
export const patchSources: (options: {
  patches: string;
  sources: string;
  target: string;
  original?: boolean;
}) => void;
