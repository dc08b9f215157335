import { useQueryClient } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { Component, type ReactNode, Suspense, useEffect } from 'react';
import { useI18n } from '../hooks/services.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EmptyState } from '../ui/feedback.tsx';
import { CenteredPage } from '../ui/page.tsx';

type BoundaryProps = {
  /** Shown in place of the children that failed; `retry` shows them again, or loads the page again. */
  fallback: (retry: () => void, error: unknown) => ReactNode;
  children: ReactNode;
};

/** Contains an error of rendering, or of fetching code, so that the rest of the window keeps working. */
class ErrorBoundary extends Component<BoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };
  static getDerivedStateFromError(error: unknown) {
    return { error };
  }
  override render() {
    if (this.state.error === undefined) return this.props.children;
    // React caches a failed import, so only a reload of the page fetches it again.
    const isUnfetched = this.state.error instanceof TypeError && /import/i.test(this.state.error.message);
    return this.props.fallback(
      isUnfetched ? () => location.reload() : () => this.setState({ error: undefined }),
      this.state.error,
    );
  }
}

/** What was thrown, for a report. */
const Thrown = ({ error }: { error: unknown }) => (
  <pre className="mt-4 max-w-full rounded-box bg-sunken px-3.5 py-2.5 text-start font-mono text-xs whitespace-pre-wrap text-ink-2 wrap-anywhere">
    {String(error)}
  </pre>
);

const ScreenFailure = ({ onRetry, error }: { onRetry: () => void; error: unknown }) => {
  const { t } = useI18n();
  const queries = useQueryClient();
  // An answer that it could not show would end the next try as well.
  useEffect(() => queries.removeQueries({ type: 'inactive' }), [queries]);
  return (
    <EmptyState role="alert" isPage title={t('error.screen')} text={t('error.screen.text')}>
      <Button variant="primary" onClick={onRetry}>
        {t('common.retry')}
      </Button>
      <Thrown error={error} />
    </EmptyState>
  );
};

/** Contains the errors of a screen. */
export const PageBoundary = ({ children }: { children: ReactNode }) => (
  <ErrorBoundary fallback={(retry, error) => <ScreenFailure onRetry={retry} error={error} />}>
    {children}
  </ErrorBoundary>
);

const WindowFailure = ({ error }: { error: unknown }) => {
  const { t } = useI18n();
  return (
    <CenteredPage>
      <div role="alert" className="w-full max-w-[440px]">
        <TriangleAlert size={28} className="text-bad" aria-hidden />
        <h1 className="mt-4 font-serif text-xl font-semibold">{t('error.window')}</h1>
        <p className="mt-2 text-ink-2">{t('error.window.text')}</p>
        <Thrown error={error} />
        <Button variant="primary" className="mt-5" onClick={() => location.reload()}>
          {t('error.window.reload')}
        </Button>
      </div>
    </CenteredPage>
  );
};

/** Contains the errors of the frame around the screens: only a new page leaves what it showed behind. */
export const WindowBoundary = ({ children }: { children: ReactNode }) => (
  <ErrorBoundary fallback={(_, error) => <WindowFailure error={error} />}>{children}</ErrorBoundary>
);

/** Stands for a dialog whose code is still being loaded: Escape closes it all the same, and nothing behind it. */
const LoadingDialog = ({ onClose }: { onClose: () => void }) => {
  const { t } = useI18n();
  useEffect(() => {
    const closeOnEscape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      onClose();
    };
    addEventListener('keydown', closeOnEscape, { capture: true });
    return () => removeEventListener('keydown', closeOnEscape, { capture: true });
  }, [onClose]);
  return (
    <div
      role="status"
      aria-label={t('common.loading')}
      className="fade fixed inset-0 z-40 grid place-items-center bg-veil"
    >
      <span className="block w-[min(460px,calc(100vw-24px))] rounded-sheet bg-raised p-[22px] shadow-high">
        <span className="skeleton block h-5 w-1/2" />
        <span className="skeleton mt-4 block h-24" />
      </span>
    </div>
  );
};

type DialogBoundaryProps = { onClose: () => void; children: ReactNode };

/** Waits for a dialog's code, and contains its errors, so that the page behind it stays. */
export const DialogBoundary = ({ onClose, children }: DialogBoundaryProps) => {
  const { t } = useI18n();
  return (
    <ErrorBoundary
      fallback={(retry) => (
        <Dialog title={t('error.dialog')} closeLabel={t('common.close')} onClose={onClose} width={460}>
          <p role="alert" className="text-ink-2">
            {t('error.dialog.text')}
          </p>
          <Button variant="primary" className="mt-4" onClick={retry}>
            {t('common.retry')}
          </Button>
        </Dialog>
      )}
    >
      <Suspense fallback={<LoadingDialog onClose={onClose} />}>{children}</Suspense>
    </ErrorBoundary>
  );
};
