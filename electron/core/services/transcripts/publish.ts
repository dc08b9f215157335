import type { Emitter } from '../../base/emitter.ts';
import type { JobEvents } from '../../jobs/events.ts';
import type { EventHub } from '../events.ts';
import type { SourceDeleted } from '../files/service.ts';
import type { TranscriptService } from './index.ts';
import { presentSegments } from './present.ts';

type Deps = {
  readonly jobEvents: JobEvents;
  readonly fileEvents: Emitter<{ sourceDeleted: SourceDeleted }>;
  readonly hub: EventHub;
  readonly transcripts: TranscriptService;
};

/** Publishes to their users what happens to transcripts outside of a request. */
export const publishTranscriptEvents = ({ jobEvents, fileEvents, hub, transcripts }: Deps): void => {
  jobEvents.on('progress', ({ transcript, segments, from }) => {
    const { id, userId, options } = transcript;
    const { progress } = transcripts.summary(transcript);
    if (progress === undefined) return;
    hub.publish(userId, {
      type: 'transcript.progress',
      id,
      progress,
      segments_from: from,
      segments: options.redact_pii ? [] : presentSegments(segments, true, from),
    });
  });
  jobEvents.on('finished', ({ id, userId, status, options }) => {
    // Events of an earlier analysis may carry the text from before its redaction.
    if (options.redact_pii) hub.forget(userId);
    transcripts.publish(status === 'completed' ? 'transcript.completed' : 'transcript.failed', id);
  });
  fileEvents.on('sourceDeleted', ({ transcriptId }) =>
    transcripts.publish('transcript.changed', transcriptId),
  );
};
