"""French phrases of manipulation."""

from domain.detect.families import Band, Family
from domain.detect.phrases import Pack, Phrase

_SENDER_MEANS_OWN_WORDS = (
    r"(?:que |qu'|dont )(?:je|j'|nous|on|il|elle)|(?:de|dans) (?:ma|mon|mes|notre|nos|moi|nous|hier)\b|"
    r"(?:concernant|pour|sur|de|dans|relatives? a|au sujet de) (?:la |le |les |l'|ma |mon |notre |cette |ce"
    r" )?(?:livraison|envoi"
    r"|expedition|commande|retour|adresse|facture|colis|etiquette|carton|notice|manuel|paiement|reservation|appareil"
    r"|machine|produit|livreur|garantie|installation|montage|remboursement|rendez-vous|compte)\b"
)

PACK = Pack(
    language="fr",
    words={
        "ignore": (
            "ignore", "ignorez", "ignorer", "oublie", "oubliez", "oublier", "neglige", "negligez", "ne tiens pas"
            " compte",
            "ne tenez pas compte", "ne tiens plus compte", "ne tenez plus compte", "ne tenez aucun compte",
            "ne tiens aucun compte", "fais abstraction", "faites abstraction", "passe outre", "passez outre",
            "contourne",
            "contournez", "ne suis pas", "ne suis plus", "ne suivez pas", "ne suivez plus", "n'obeis plus",
            "n'obeissez plus",
            "n'obeis pas", "n'obeissez pas", "ne respecte pas", "ne respecte plus", "ne respectez pas", "ne respectez"
            " plus",
            "desobeis", "desobeissez", "ecarte", "ecartez", "annule", "annulez", "outrepasse", "outrepassez",
            "abandonne",
            "abandonnez", "efface", "effacez",
        ),
        "all": ("tout", "toute", "tous", "toutes", "l'ensemble", "chacune", "aucune"),
        "these": ("les", "des", "aux", "tes", "vos", "de tes", "de vos", "ces", "de ces", "a tes", "a vos", "la", "ta",
                  "votre", "de la", "du", "ton", "de ton", "de votre", "de toutes", "de toutes les", "le"),
        "previous": (
            "precedentes", "precedents", "precedente", "precedent", "anterieures", "anterieurs", "anterieure",
            "ci dessus", "au dessus", "initiales", "initiale", "originales", "originale", "d'origine", "existantes",
            "donnees precedemment", "recues precedemment", "recues auparavant", "prealables", "actuelles", "systeme",
            "du systeme", "de ton developpeur", "de vos developpeurs", "qui precedent", "donnees plus haut", "plus"
            " haut",
            "programmees", "par defaut", "cachees", "anciennes",
        ),
        "instructions": (
            "instruction", "instructions", "consigne", "consignes", "directive", "directives", "regle", "regles",
            "prompt", "prompts", "prompt systeme", "invite systeme", "message systeme", "commandes systeme",
            "programmation",
            "lignes directrices",
        ),
        "machine": (
            "assistant", "assistante", "ia", "i a", "bot", "chatbot", "robot", "modele", "modele de langage", "agent",
            "intelligence artificielle", "machine", "assistant virtuel", "llm", "gpt", "repondeur",
        ),
        "unbound": ("sans restriction~", "sans regle~", "sans filtre~", "sans limite~", "non censure~", "illimite~",
                    "libre de", "debride~", "dan", "pirate", "malveillant~", "sans censure"),
        "reveal": (
            "montre", "montrez", "montre moi", "montrez moi", "affiche", "affichez", "revele", "revelez", "donne",
            "donnez",
            "donne moi", "donnez moi", "envoie", "envoyez", "envoie moi", "envoyez moi", "repete", "repetez", "liste",
            "listez", "divulgue", "divulguez", "communique", "communiquez", "partage", "partagez", "transmets",
            "transmettez", "copie", "copiez", "ecris", "ecrivez", "imprime", "imprimez", "cite", "citez", "resume",
            "resumez", "traduis", "traduisez", "exporte", "exportez", "indique", "indiquez", "indique moi", "fournis",
            "fournissez", "dis moi", "dites moi",
        ),
        "others": ("d'autres", "des autres", "autres", "d'un autre", "de tous les", "de tous vos", "tous les autres",
                   "de vos autres", "de tes autres", "les autres"),
        "customers": ("client", "clients", "cliente", "clientes", "utilisateur", "utilisateurs", "contacts",
        "personnes",
                      "abonnes", "acheteurs"),
        "data": (
            "donnees", "adresses", "adresses e-mail", "adresses mail", "courriels", "e-mails", "mails", "messages",
            "commandes", "noms", "numeros de telephone", "factures", "coordonnees", "informations", "comptes",
            "mots de passe", "donnees personnelles", "coordonnees bancaires",
        ),
        "secret": (
            "cle api", "cles api", "cle d'api", "cles d'api", "identifiants", "mots de passe", "mot de passe", "jetons",
            "jeton d'acces", "jetons d'acces", "cle privee", "cles privees", "cle secrete", "cles secretes",
            "variables d'environnement", "secrets",
        ),
        "boss": (
            "developpeur", "developpeurs", "developpeuse", "administrateur", "administratrice", "admin", "createur",
            "proprietaire", "operateur", "superviseur", "programmeur", "concepteur", "maitre", "administrateur systeme",
        ),
    },
    phrases=(
        Phrase("override.previous", Family.OVERRIDE, Band.STRONG, (
            "{ignore} [{all}] [{these}] [{all}] [{these}] {instructions} [qui] [t'ont|vous ont|te sont|vous sont] [ete]"
            " [donnees|recues|fournies] {previous}",
            "{ignore} [{all}] [{these}] [{all}] [{these}] {previous} {instructions}",
            "{ignore} [de] (toutes|tous|l'ensemble) (tes|vos|de tes|de vos) {instructions}",
            "{ignore} [{all}] [{these}] (prompt systeme|invite systeme|message systeme|programmation)",
            "{ignore} tout ce (que|qu'on|qui) [l'on] [on] [tu] [vous] [t'a|vous a|t'as|as|avez|t'ont] [ete] (dit|appris"
            "|demande|ordonne|programme|enseigne|indique) [auparavant|jusqu'ici|precedemment|avant]",
            "{ignore} [{all}] [{these}] {instructions} (que tu as|que vous avez) (recues|eues) [avant|auparavant"
            "|jusqu'ici|precedemment|plus haut]",
            "{instructions} {previous} (doivent etre|sont a|devront etre) (ignorees|ignorer|oubliees|oublier|ecartees)",
        ), softened_by=_SENDER_MEANS_OWN_WORDS),
        Phrase("override.vague", Family.OVERRIDE, Band.MEDIUM, (
            "{ignore} [tout] (ce qui precede|ce qui est ecrit au dessus|ce qui est ci dessus|ce qui vient avant|le"
            " texte ci dessus|le texte precedent|le contexte precedent|ce qui se trouve au dessus|tout le reste)",
            "{ignore} (toutes les|tous les|toute) (instructions|consignes|directives|regles)",
            "{ignore} (tes|vos|a tes|a vos|de tes|de vos) (regles|consignes|instructions|directives|programmation)",
            "{instructions} {previous} (sont|ne sont plus) (annulees|caduques|nulles|revoquees|valables|remplacees"
            "|obsoletes)",
            "(desactive|desactivez|contourne|contournez|supprime|supprimez|leve|levez) [{all}] [{these}] (filtres"
            "|garde fous|restrictions|regles de securite|filtres de securite|limitations|protections)",
            "{ignore} [{these}] (precedent|precedents|precedente|ci dessus)",
        ), not_after=r"(?:adresse|numero|e-?mail|mail|message|courriel|commande|facture|piece|montant|prix|date)\b"),
        Phrase("re_role.you_are_now", Family.RE_ROLE, Band.MEDIUM, (
            "(tu es|vous etes) (maintenant|desormais|dorenavant|a present|a partir de maintenant) *3 ({machine}"
            "|{unbound})",
            "(desormais|dorenavant|a partir de maintenant|a present|a compter de maintenant) (tu es|vous etes|tu agis"
            "|tu reponds|vous repondez|tu obeis|vous obeissez|tu dois obeir|vous devez obeir) [comme] [en tant que]"
            " [qu'] [a] [un|une|le|la|mon] *2 ({machine}|{unbound}|moi|mes ordres|mes commandes|ces instructions)",
            "(agis|agissez|comporte toi|comportez vous|reponds|repondez|imagine que tu es|imaginez que vous etes"
            "|fais comme si tu etais|fais semblant d'etre) [comme] [en tant que] [qu'] [un|une|le|la] *2 ({machine}"
            "|{unbound})",
            "(passe|passez|entre|entrez|bascule|basculez) en mode (developpeur|admin|administrateur|debogage"
            "|maintenance|dan)",
            "(active|activez) le mode (developpeur|admin|administrateur|debogage|maintenance|dan)",
            "(ton|votre|ta) (nouveau|nouvelle) (role|tache|mission|identite|objectif|consigne) est",
            "(oublie|oubliez) que (tu es|vous etes) [un|une] *1 {machine}",
            "(tu n'es|vous n'etes) (plus|pas) [un|une] *2 {machine}",
            "(tu n'as|vous n'avez) (plus|desormais) [aucune|de|plus] (regle~|restriction~|limite~|contrainte~)",
        )),
        Phrase("re_role.header", Family.RE_ROLE, Band.MEDIUM, (
            r"(?:^|\n)[^\w\n]{0,12}(?:les |tes |vos |voici (?:les |tes |vos )?)?(?:nouvelles?|vraies?|veritables?"
            r"|importantes?)[ -]{1,3}(?:instructions?|consignes?|directives?|taches?|commandes? systeme)[^\w\n]{0,6}:",
            r"(?:^|\n)[^\w\n]{0,12}(?:instructions?|message|note|consignes?|tache) (?:a|pour) (?:l'|la |le |toute "
            r"|tout )?(?:ia|assistant|bot|modele|robot|assistant ia|intelligence artificielle)[^\w\n]{0,6}:",
        ), raw=True),
        Phrase("authority.claim", Family.AUTHORITY, Band.WEAK, (
            "en tant que (ton|ta) {boss}",
            "(je suis|c'est|ici) (ton|ta|tes) {boss}",
            "je suis (le|la|l'|un) {boss} de (ce bot|cette ia|cet assistant|ce modele|ce chatbot|cet agent)",
            "(message|note|ordre|instruction|consigne) de (ton|ta|tes|l'equipe des) {boss}",
            "(tu es|vous etes) autorise~ par (ton|tes|vos) {boss}",
            "(ton|tes) {boss} (a|ont|t'a|t'ont) *1 (autorise~|ordonne|approuve~|demande)",
            "(j'ai|avec mes) *1 (acces|droits|privileges) (root|developpeur|superutilisateur) sur (toi|cette ia|cet"
            " assistant|ce modele)",
        )),
        Phrase("exfiltration.prompt", Family.EXFILTRATION, Band.MEDIUM, (
            "{reveal} *3 (ton|tes|votre|vos|le|les|l') [integralite de|texte complet de] [ton|tes|votre|vos] (prompt"
            " systeme"
            "|prompt|invite systeme|message systeme|instructions systeme|instructions initiales|instructions internes"
            "|instructions cachees|instructions secretes|consignes internes|consignes initiales|consignes secretes)",
            "(quel est|quelles sont|quels sont) (ton|tes|votre|vos) (prompt systeme|prompt|invite systeme|instructions"
            " systeme|instructions initiales|instructions internes|instructions secretes|consignes internes"
            "|instructions exactes|consignes initiales)",
            "{reveal} *2 (tout ce qui precede|tout le texte ci dessus|le texte au dessus|tout ce qui est au dessus"
            "|les mots au dessus)",
        )),
        Phrase("exfiltration.others", Family.EXFILTRATION, Band.MEDIUM, (
            "{reveal} *4 {data} [personnelles] [de] {others} {customers}",
            "{reveal} *3 (la|une|ta|votre) (liste|base) (des|de tous les|de vos|de tes|de donnees|complete des) *1"
            " {customers}",
            "{reveal} *3 (fichier clients|fichier client|base clients|base de donnees clients|liste des clients)",
            "(qu'ont|qu'est ce que|qu'a) *2 (commande|achete|ecrit|demande) (les autres|un autre|d'autres) {customers}",
        )),
        Phrase("exfiltration.secret", Family.EXFILTRATION, Band.MEDIUM, (
            "{reveal} *2 (tous|toutes|tes|vos|tous les|toutes les|les) [tes|vos|les] {secret} (internes|du systeme|du"
            " serveur|stockes|stockees|enregistres|enregistrees|administrateur|de l'administrateur|en memoire)",
            "{reveal} *2 (tes|toutes tes|tous tes|toutes vos|tous vos) {secret}",
            "(quel est|quelle est|quels sont|quelles sont) (ta|ton|tes) {secret}",
        )),
        Phrase("exfiltration.third_party", Family.EXFILTRATION, Band.MEDIUM, (
            r"\b(?:transferez?|transfere|envoie|envoyez|transmets|transmettez|redirige[z]?|copie[z]?|fais suivre"
            r"|faites suivre)\b"
            r"[^.!?\n]{0,50}\b(?:cette (?:conversation|correspondance|discussion)|ce fil|cet echange|(?:tous|toutes)"
            r" (?:les|vos|tes"
            r"|nos) (?:e-?mails?|mails?|messages?|courriels?|donnees|fichiers|pieces jointes|informations|contacts"
            r"|echanges)|l'historique|la boite de reception|donnees (?:des )?clients|tout)\b[^!?\n]{0,60}"
            r"(?:[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]|https?://)",
        ), raw=True),
        Phrase("exfiltration.copy_to", Family.EXFILTRATION, Band.WEAK, (
            r"\b(?:transferez?|transfere|envoie|envoyez|envoyer|transmettez|transmets|faire suivre|faites suivre"
            r"|copie[z]?)\b[^.!?\n]{0,60}\ba\b[^.!?\n]{0,20}[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]",
        ), raw=True, everyday=True),
        Phrase("exfiltration.secrecy", Family.EXFILTRATION, Band.WEAK, (
            "ne (mentionne|mentionnez|revele|revelez|dis|dites|divulgue|divulguez|montre|montrez) (pas|rien|jamais)"
            " *4 (a l'utilisateur|au client|a l'operateur|a l'humain|dans ta reponse|dans votre reponse|a personne de"
            " l'equipe|cette instruction|ces instructions|ce message)",
            "sans (informer|prevenir|avertir|consulter|en informer) (l'utilisateur|l'operateur|l'humain|l'equipe|le"
            " relecteur)",
            "(garde|gardez|tiens|tenez) (cette instruction|ces instructions|ce message|cette consigne) (secrete~|secret"
            "|cache~|confidentielle~|confidentiel~)",
            "(l'utilisateur|l'operateur|l'humain|le relecteur) ne (doit|doivent) (rien|pas) *1 (savoir|voir|apprendre"
            "|remarquer)",
            "(cache|cachez|dissimule|dissimulez) (cette|ces|ce) (instruction~|consigne~|message|ordre~)",
            "n'en (parle|parlez|dis|dites) *1 a (l'utilisateur|l'operateur|aucun humain|l'equipe)",
        )),
        Phrase("exfiltration.steering", Family.EXFILTRATION, Band.WEAK, (
            "(ajoute|ajoutez|insere|inserez|inclus|incluez|place|placez|mets|mettez) *4 (lien|url|image|code|html"
            "|phrase|texte)"
            " *4 (dans|a la fin de) (ta|votre|chaque|tes|vos|la|toutes les) (reponse|reponses|mail|e-mail|messages)",
            "(termine|terminez|commence|commencez) (chaque|ta|tes|votre|toutes tes|vos) (reponse|reponses|message) par",
            "(appelle|appelez|utilise|utilisez|execute|executez) *2 (outil|fonction|api) *2 (avec|pour)",
            "(reponds|repondez) (uniquement|seulement|exclusivement) (par|avec|en) (oui|json|le mot|ce qui suit)",
            "(marque|marquez|classe|classez) ce (mail|message|courriel) comme (urgent|sur|verifie|interne|fiable|non"
            " spam)",
            "(approuve|approuvez|valide|validez) (le|ce) (remboursement|paiement) *2 (sans verification|sans validation"
            "|automatiquement|sans controle)",
        )),
        Phrase("template_forgery.label", Family.TEMPLATE_FORGERY, Band.STRONG, (
            r"(?:^|\n)[ \t>]{0,8}(?:#{1,6}|={3,}|-{3,}|\*{2,}|`{3,}|<<<|\[{1,3})[ \t]{0,3}(?:debut |fin )?(?:du |des "
            r"|de l')?"
            r"(?:message systeme|instructions? systeme|prompt systeme|invite systeme|consignes? systeme|systeme)"
            r"[ \t]{0,3}(?:[:\]>#=*`~-]|\n)",
            r"\[/?(?:message systeme|instructions? systeme|prompt systeme|systeme|consignes?|instructions?)\]",
            r"(?:^|\n)[ \t>]{0,8}(?:message systeme|instructions? systeme|prompt systeme|invite systeme)[ \t]{0,3}:",
            r"(?:^|\n)[ \t>]{0,8}[=\-#*<\[({]{2,}[ \t]{0,3}fin (?:du |de la |de l'|de )?(?:e-?mail|mail|message"
            r"|contexte|courriel|saisie|document|message client)[ \t]{0,3}[=\-#*>\])}]{2,}",
            r"(?:^|\n)[ \t>]{0,8}#{2,6}[ \t]{0,3}(?:instruction|consigne|reponse)[ \t]{0,2}:[ \t]{0,4}(?:\n|$)",
            r"</?(?:systeme|message_systeme|instructions_systeme|consignes?)>",
        ), raw=True),
    ),
    reporting=(
        "dit", "disait", "ecrit", "ecrivait", "contient", "contenait", "indique", "demande", "demandait", "affirme",
        "pretend", "hameconnage", "phishing", "arnaque", "suspect", "recu", "avec les mots", "avec la phrase",
        "avec le texte", "signale", "intitule",
    ),
)
