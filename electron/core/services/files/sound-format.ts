import { isAppError } from '../../base/errors.ts';
import { localFile } from '../../engines/ffmpeg/local-file.ts';
import type { MediaEngine } from '../../engines/ffmpeg/types.ts';
import type { SoundFormat } from '../../engines/scan/content.ts';

/** Asks ffmpeg for the format of a file, which came under `name`. */
export const soundFormatOf =
  (media: Pick<MediaEngine, 'probe'>) =>
  async (path: string, name: string): Promise<SoundFormat> => {
    try {
      const { audioStreams, format } = await media.probe(await localFile(path, name));
      return audioStreams.length > 0 ? { format } : { refusal: 'The file has no sound in it.' };
    } catch (error) {
      if (isAppError(error)) return { refusal: error.message };
      throw error;
    }
  };
