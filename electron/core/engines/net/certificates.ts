import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

let context: SecureContext | undefined;

/**
 * The trusted certificate authorities: Node's own list (with NODE_EXTRA_CA_CERTS) and the operating system's store, so
 * that a company's mirror or inspecting proxy is trusted here as in its browsers. Created once, because every connection
 * would otherwise parse hundreds of certificates.
 */
export const trustedCertificates = async (): Promise<SecureContext> => {
  context ??= createSecureContext({
    ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system')])],
  });
  return context;
};
