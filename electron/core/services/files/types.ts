export { isActiveType } from '../../engines/scan/file-types.ts';
export type { FileRow } from '../../stores/schema.ts';
