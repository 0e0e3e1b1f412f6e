/**
 * Objects as the API writes them, with only the fields that become series. All of them are optional:
 * servers leave out what is empty.
 */
import type { Amounts, ClusterObject } from '../../cluster/index.ts';

type Texts = Readonly<Record<string, string>>;

interface Owner {
  readonly kind?: string;
  readonly name?: string;
  readonly controller?: boolean;
}

/** Names and times that every object has. */
export interface ApiObject {
  readonly metadata: {
    readonly name: string;
    /** '' for what is of no namespace. */
    readonly namespace: string;
    readonly uid: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Texts;
    readonly annotations?: Texts;
    readonly ownerReferences?: readonly Owner[];
    /** Who wrote what last, and when. */
    readonly managedFields?: readonly { readonly time?: string }[];
  };
}

export interface PodContainer {
  readonly name: string;
  /** `Always` for an init container that runs as long as its pod: a sidecar. */
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: Amounts };
}

export interface ContainerStatus {
  readonly name: string;
  readonly state?: {
    readonly running?: { readonly startedAt?: string };
    readonly terminated?: {
      readonly startedAt?: string;
      readonly finishedAt?: string;
      readonly exitCode?: number;
    };
  };
  /** What the node has set aside, and what its runtime was told: while a resize is under way. */
  readonly allocatedResources?: Amounts;
  readonly resources?: { readonly requests?: Amounts };
}

export interface PodObject extends ApiObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly hostNetwork?: boolean;
    readonly priorityClassName?: string;
    readonly containers?: readonly PodContainer[];
    /** What its RuntimeClass takes beside its containers. */
    readonly overhead?: Amounts;
    /** Requests of the pod as a whole. */
    readonly resources?: { readonly requests?: Amounts };
    readonly initContainers?: readonly PodContainer[];
    readonly volumes?: readonly {
      readonly name: string;
      readonly persistentVolumeClaim?: { readonly claimName: string };
      readonly ephemeral?: object;
    }[];
    readonly resourceClaims?: readonly {
      readonly name: string;
      readonly resourceClaimName?: string;
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly startTime?: string;
    readonly hostIP?: string;
    readonly podIP?: string;
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly resourceClaimStatuses?: readonly {
      readonly name: string;
      readonly resourceClaimName?: string;
    }[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status?: string;
      readonly reason?: string;
    }[];
  };
}

export interface NodeObject extends ApiObject {
  readonly spec?: { readonly providerID?: string; readonly podCIDR?: string };
  readonly status?: {
    readonly capacity?: Amounts;
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port?: number } };
    readonly nodeInfo?: {
      readonly kernelVersion?: string;
      readonly osImage?: string;
      readonly containerRuntimeVersion?: string;
      readonly kubeletVersion?: string;
      readonly systemUUID?: string;
    };
  };
}

export interface VolumeObject extends ApiObject {
  readonly spec?: {
    readonly capacity?: Amounts;
    readonly storageClassName?: string;
    readonly csi?: { readonly driver?: string; readonly volumeHandle?: string };
    /** Disks of clouds, from before CSI. */
    readonly awsElasticBlockStore?: { readonly volumeID?: string };
    readonly gcePersistentDisk?: { readonly pdName?: string };
    readonly azureDisk?: { readonly diskName?: string };
  };
}

export interface ClaimObject extends ApiObject {
  readonly spec?: {
    readonly storageClassName?: string;
    readonly volumeName?: string;
    readonly volumeMode?: string;
    readonly resources?: { readonly requests?: Amounts };
  };
}

export interface ServiceObject extends ApiObject {
  readonly spec?: { readonly selector?: Texts };
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
    };
  };
}

export interface ReplicaSetObject extends ApiObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}

export interface DeviceClaimObject extends ApiObject {
  readonly status?: {
    readonly allocation?: {
      readonly devices?: {
        readonly results?: readonly {
          readonly request?: string;
          readonly driver?: string;
          readonly pool?: string;
          readonly device?: string;
        }[];
      };
    };
  };
}

export interface DeviceSliceObject extends ApiObject {
  readonly spec?: {
    readonly driver?: string;
    readonly nodeName?: string;
    readonly pool?: { readonly name?: string };
    readonly devices?: readonly { readonly name: string }[];
  };
}

export interface QuotaObject extends ApiObject {
  readonly status?: { readonly hard?: Amounts; readonly used?: Amounts };
}

/** An object seen as one of its own kind, which the path that it came from tells. */
export function objectOf<T extends ApiObject>(object: ClusterObject): T {
  return object as ApiObject as T;
}
