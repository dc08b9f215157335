import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EmptyState } from '../ui/feedback.tsx';
import { useI18n } from './services.tsx';

type BoundaryProps = {
  /** Shown in place of the children that failed; `retry` shows them again, or loads the page again. */
  fallback: (retry: () => void) => ReactNode;
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
    );
  }
}

const Failure = ({ onRetry }: { onRetry: () => void }) => {
  const { t } = useI18n();
  return (
    <EmptyState role="alert" title={t('error.screen')} text={t('error.screen.text')}>
      <Button variant="primary" onClick={onRetry}>
        {t('common.retry')}
      </Button>
    </EmptyState>
  );
};

/** Contains the errors of a screen, or of the whole window. */
export const PageBoundary = ({ children }: { children: ReactNode }) => (
  <ErrorBoundary fallback={(retry) => <Failure onRetry={retry} />}>{children}</ErrorBoundary>
);

type DialogBoundaryProps = { onClose: () => void; children: ReactNode };

/** Contains the errors of a dialog, so that the page behind it stays. */
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
      {children}
    </ErrorBoundary>
  );
};
