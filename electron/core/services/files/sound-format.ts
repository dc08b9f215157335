import { isAppError } from '../../base/errors.ts';
import { localFile } from '../../engines/ffmpeg/local-file.ts';
import type { MediaEngine } from '../../engines/ffmpeg/types.ts';

/** Asks ffmpeg for the format of a file, which came under `name`; undefined where it finds no sound in it. */
export const soundFormatOf =
  (media: Pick<MediaEngine, 'probe'>) =>
  async (path: string, name: string): Promise<string | undefined> => {
    try {
      const { audioStreams, format } = await media.probe(await localFile(path, name));
      return audioStreams.length > 0 ? format : undefined;
    } catch (error) {
      if (isAppError(error)) return undefined;
      throw error;
    }
  };
